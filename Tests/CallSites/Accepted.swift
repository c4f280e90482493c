// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

// Call sites that must compile in a package with Swift 6's default settings and this one import; `scripts/check-call-sites` compiles them.

import Bluebonnet

struct User: Codable, Sendable {
    var id = 1
    var name = "Ada"
}

/// A type of the caller's that cannot be sent between tasks, which parameters need not be.
final class Draft: Encodable {
    var name = "Ada"
}

struct Endpoint: RequestPath {
    var id: Int

    func resolved(against base: URL?) throws(SessionError) -> URL {
        try ["users", "\(self.id)"].resolved(against: base)
    }
}

func makeSessions(_ base: URL?) async throws {
    let api = try HTTPSession("https://api.example.com/v1")
    _ = HTTPSession(baseURL: base)
    if let base { _ = HTTPSession(base) }
    _ = HTTPSession(session: api.session)
    _ = try HTTPSession("https://api.example.com/v1", session: api.session)
    if let base { _ = HTTPSession(base, session: api.session) }
    _ = HTTPSession()
    let key = "k"
    let tenant: String? = nil
    _ = try HTTPSession("https://api.example.com/v1", headers: ["X-Api-Key": key])
    _ = try HTTPSession("https://api.example.com/v1", headers: ["X-Api-Key": key, "X-Tenant": tenant])
    _ = try HTTPSession("https://api.example.com/v1", headers: [.accept: "text/plain"], configuration: .resilient)
    var configuration = Session.Configuration()
    configuration.observers = [.logging, .metrics]
    configuration.networkInterceptors = [.tracing]
    _ = HTTPSession(configuration: configuration)
}

func sendParameters(_ api: HTTPSession, page: Int, maybe: String?, ids: [Int], size: Int, name: String) async throws {
    _ = try await api.get("users", parameters: ["page": page, "ids": ids, "q": maybe], as: [User].self)
    _ = try await api.get("users", parameters: ["page": 2, "sort": "name"], as: [User].self)
    _ = try await api.get("users", parameters: ["q": maybe])
    _ = try await api.get("users", parameters: ["page": page])
    _ = try await api.get("users", parameters: ["since": Date(), "bytes": Data([1]), "url": api.baseURL, "none": nil])
    _ = try await api.get("users", parameters: ["tags": ["blue", "tall"], "filter": ["size": 3], "page": page])
    _ = try await api.get("users", parameters: ["page": page, "filter": ["size": size, "name": name] as Parameters])
    _ = try await api.get("users", parameters: ["list": [1, nil, "x"] as ParameterValue, "n": ParameterValue.null])
    _ = try await api.get("users", parameters: ["user": User(), "ratio": 0.5, "text": "a \(page)", "on": true])
    _ = try await api.get("users", parameters: [:])
    _ = try await api.get("users", parameters: nil)

    let parameters: Parameters = ["page": page, "name": maybe]
    _ = try await api.get("users", parameters: parameters)
    let optional: Parameters? = parameters
    _ = try await api.get("users", parameters: optional)
    let tree: ParameterValue = ["page": 2, "list": [1, nil, "x"]]
    _ = try await api.get("users", parameters: tree)
    let dictionary = ["page": page]
    _ = try await api.get("users", parameters: dictionary)
    _ = try await api.get("users", query: Parameters(dictionary))
}

func useEveryVerb(_ api: HTTPSession, new: User, page: Int, maybe: String?, draft: Draft, data: Data) async throws {
    let form = MultipartFormData()
    let head: Response = try await api.head("users", parameters: ["page": page, "q": maybe])
    _ = try await api.head("users", parameters: new)
    _ = try await api.head("users", parameters: draft, timeout: .seconds(2))
    let whole: Response = try await api.get("users", parameters: ["page": page, "q": maybe])
    let text: String = try await api.get("users", parameters: ["page": page, "q": maybe], serializer: .string)
    let user: User = try await api.get("users", parameters: new, as: User.self)
    let json: JSONValue? = try await api.get("users", parameters: draft, serializer: .json)
    print(head.status, whole.status, text, user, json ?? .null)

    try await api.post("users", parameters: ["page": page, "q": maybe])
    try await api.put("users", parameters: ["page": page, "q": maybe])
    try await api.patch("users", parameters: ["page": page, "q": maybe])
    try await api.delete("users", parameters: ["page": page, "q": maybe])
    try await api.post("users", parameters: new)
    try await api.put("users", parameters: draft)
    try await api.patch("users", parameters: new, serializer: .data)
    try await api.delete("users", parameters: new)
    _ = try await api.post("users", query: ["notify": true], parameters: new, timeout: .seconds(2), as: User.self)
    _ = try await api.post("users", query: ["notify": true], parameters: ["name": maybe], as: User?.self)
    _ = try await api.put("users/1", parameters: ["name": maybe, "page": page], as: User.self)
    _ = try await api.patch("users/1", parameters: ["name": maybe, "page": page], as: EmptyBody.self)
    _ = try await api.delete("users/1", parameters: ["force": true], as: EmptyBody.self)
    try await api.delete("users/1", body: .data(data))
    try await api.post("notes", body: .data(data), headers: [.contentType: "text/plain"])
    try await api.post("photos", parameters: ["caption": maybe, "page": page], multipart: form)
    _ = try await api.put("photos", multipart: form, as: User.self)
    try await api.delete("photos", multipart: form)
}

/// Literals and values beside arguments that have types of their own.
func passArguments(_ api: HTTPSession, new: User?, page: Int, maybe: String?, any: any Encodable) async throws {
    let (form, options, fields, limit) = (MultipartFormData(), RequestOptions(), HTTPFields(), Duration.seconds(2))
    let parameters: Parameters? = ["q": maybe]
    _ = try await api.get("users", parameters: ["q": maybe, "r": nil], options: options)
    _ = try await api.get("users", query: parameters, parameters: ["q": maybe], headers: fields, as: [User].self)
    _ = try await api.get("users", parameters: page == 1 ? nil : ["page": page], timeout: limit)
    _ = try await api.get("users", parameters: maybe.map { ["q": $0, "page": page] }, options: options)
    _ = try await api.get("users", parameters: parameters ?? ["q": maybe], options: options)
    _ = try await api.get("users", parameters: nil, options: options, timeout: limit)
    _ = try await api.get("users", parameters: parameters, options: options)
    _ = try await api.get("users", parameters: new, options: options)
    _ = try await api.get("users", parameters: any, options: options)
    try await api.post("users", parameters: ["q": maybe], multipart: form, options: options)
    try await api.post("users", parameters: ["q": maybe, "page": page], multipart: form, timeout: limit)
    try await api.post("users", parameters: parameters, multipart: form)
    try await api.post("users", parameters: parameters, body: nil, headers: fields)
    _ = try api.prepare(.get, "users", parameters: ["q": maybe], options: options)
    api.start(.post, "users", parameters: ["q": maybe], multipart: form, headers: fields, as: User.self) { print($0) }
}

func passMethods(_ api: HTTPSession, isNew: Bool, new: User, page: Int, maybe: String?) async throws {
    let get = api.get
    _ = try await get("users", parameters: ["page": page, "q": maybe], as: [User].self)
    let save = isNew ? api.post : api.put
    try await save("users", parameters: new) { print($0.fraction ?? 0) }
    let optional: HTTPSession? = api
    _ = try await optional?.get("users", parameters: ["page": page, "q": maybe], as: User.self)
    try await optional?.delete("users/1")
}

func composeCalls(_ api: HTTPSession, page: Int?, ids: [Int]) async throws {
    async let first = api.get("users/1", as: User.self)
    async let second = api.get("users/2", as: User.self)
    let names = try await [first, second].map(\.name).joined(separator: ", ")
    let next = try? await api.get("users", parameters: ["q": names.isEmpty ? nil : names, "page": page.map { $0 + 1 }])
    let found = try? await api.get("users", parameters: ["q": names, "page": page ?? 1], as: [User].self).first
    print(next?.status ?? .ok, found?.name ?? "")
    print(try await api.get("count", as: Int.self) + 1, try await api.get("users").status == .ok)
    try await withThrowingTaskGroup(of: User.self) { group in
        for id in ids { group.addTask { try await api.get(["users", "\(id)"], as: User.self) } }
        for try await user in group { print(user.name) }
    }
    let load = { (page: Int) in try await api.get("users", parameters: ["page": page, "q": "x"], as: [User].self) }
    for user in try await load(2) { print(user.name) }
}

func useTypes<Value: Decodable & Sendable, Input: Encodable, Serializer: ResponseSerializer>(
    _ api: HTTPSession,
    _ type: Value.Type,
    _ input: Input,
    _ maybe: Input?,
    _ any: any Encodable,
    _ serializer: Serializer
) async throws {
    let value: Value = try await api.post("values", parameters: input, as: type)
    let output: Serializer.Output = try await api.get("values", serializer: serializer)
    try await api.put("values", parameters: maybe)
    try await api.patch("values", parameters: any)
    print(value, output)
}

/// A model on the main actor: what it sends need not be sendable.
@MainActor final class Model {
    let api: HTTPSession
    var users: [User] = []
    var draft = Draft()

    init(_ api: HTTPSession) {
        self.api = api
    }

    func save() async throws {
        try await self.api.post("drafts", parameters: self.draft)
        let parameters: Parameters = ["count": self.users.count, "q": self.draft.name]
        self.users = try await self.api.get("users", parameters: parameters, as: [User].self)
        Task { try await self.api.delete("drafts") }
    }
}

actor Store {
    var api: HTTPSession
    let draft = Draft()

    init(_ api: HTTPSession) {
        self.api = api
    }

    func save() async throws -> Response {
        try await self.api.put("drafts/1", parameters: self.draft)
        return try await self.api.get("drafts/1")
    }
}

// Functions of the caller's beside the methods.
extension HTTPSession {
    func get(_ id: Int) async throws -> User { try await get("users/\(id)", as: User.self) }

    func post(user: User) async throws { try await self.post("users", parameters: user) }

    var me: User { get async throws { try await get("me", as: User.self) } }
}

func useExtensions(_ api: HTTPSession) async throws {
    try await api.post(user: try await api.get(1))
    print(try await api.me.name, try await api.get("users/1", as: User.self).name)
}

func useCallbacks(_ api: HTTPSession, page: Int, maybe: String?) throws {
    api.start(.get, "users", parameters: ["page": page, "q": maybe], as: [User].self) { result in
        print((try? result.get())?.count ?? 0)
    }
    let task = api.start(.post, "users", parameters: ["name": maybe], as: User.self) { print($0) }
    api.start(.post, "users", parameters: User(), timeout: .seconds(2), as: User.self) { print($0) }
    api.start(.put, "users/1", body: .data(Data()), options: RequestOptions(), as: User.self) { print($0) }
    task?.cancel()
    api.start(.get, "motd", query: ["page": page], serializer: .string) { print((try? $0.get()) ?? "") }
    let text = api.start(.post, "users", parameters: User(), serializer: .string) { print($0) }
    text?.cancel()
    try api.prepare(.get, "users").task(as: [User].self).resume(success: { print($0) }, failure: { print($0) })
}

func sendFiles(_ api: HTTPSession, file: URL, reader: some BodyReader) async throws {
    try await api.put("files/a", body: .file(file), progress: { print($0.fraction ?? 0) })
    try await api.put("files/a", body: .file(file)) { print($0.fraction ?? 0) }
    try await api.put("files/a", body: .reader(reader))
    try await api.put("files/a", body: .stream { reader })
    _ = try await api.download("image.iso", to: file, destinationOptions: .overwrite) { print($0.fraction ?? 0) }
    _ = try await api.download("image.iso", to: file, query: ["token": "t"], headers: ["X-Api-Key": "k"])
    let options = RequestOptions(cachePolicy: .reloadIgnoringCacheData, allowsCellularAccess: false)
    _ = try await api.download("image.iso", to: file, options: options, timeout: .seconds(9), policy: .resuming)
    _ = try await api.download("image.iso", to: file, policy: DownloadPolicy(maximumByteCount: 1 << 30))
    _ = try await api.download("image.iso", to: .decided { temporary, _ in temporary }, options: options)
    _ = try await api.download("image.iso", to: .file(file), destinationOptions: .overwrite) { print($0.completed) }
    _ = try await api.upload(file, to: "files", options: options, timeout: .seconds(9), resuming: .tus())
    try api.prepare(.post, "files").uploadTask(file, resuming: .tus()).resume()
    try api.prepare(.get, "image.iso").downloadTask(to: .file(file), policy: .resuming).resume()
    api.session.dataTask(with: Request(url: file)).resume()
    api.session.uploadTask(with: Request(url: file)).resume()
}

func usePaths(_ api: HTTPSession, name: String, url: URL) async throws {
    try await api.delete(["users", name])
    _ = try await api.get(["users", name, "\(1)"], as: User.self)
    _ = try await api.get(url, as: User.self)
    _ = try await api.get(Endpoint(id: 1), as: User.self)
    _ = try await api.get("users/\(1)", as: User.self)
    _ = try await api.get("", as: User.self)
    _ = try await api.get("./images:annotate", as: User.self)
}

func useHeaders(_ api: HTTPSession, key: String, maybe: String?, fields: HTTPFields) async throws {
    let table = ["X-Api-Key": key]
    _ = try await api.get("me", headers: ["X-Api-Key": key])
    _ = try await api.get("me", headers: ["X-Api-Key": key, "If-None-Match": maybe])
    _ = try await api.get("me", headers: ["If-None-Match": maybe])
    _ = try await api.get("me", headers: [.accept: "text/html"], serializer: .string)
    _ = try await api.get("me", headers: [.ifNoneMatch: maybe, .authorization: "Bearer \(key)"])
    _ = try await api.get("me", headers: [.ifRange: "\"a\"", .contentDisposition: "inline"])
    _ = try await api.get("me", headers: [HTTPField.Name.userAgent: "me"])
    _ = try await api.get("me", headers: fields)
    _ = try await api.get("me", headers: table)
    var own = fields
    (own["X-Api-Key"], own["If-None-Match"], own[.accept]) = (key, maybe, "text/html")
    let response = try await api.get("me", headers: own)
    let (limit, first): (Int?, HTTPField?) = (response.headers["X-RateLimit"].flatMap { Int($0) }, own.first)
    print(limit ?? 0, response.headers[.lastModified] ?? "", first.map { own[own.startIndex] == $0 } ?? false)
    var configuration = Session.Configuration()
    configuration.headers["X-Api-Key"] = key
}

func useOptions(_ api: HTTPSession) async throws {
    var options = RequestOptions()
    options.timeoutInterval = .seconds(3)
    _ = try await api.get("me", options: options, timeout: .seconds(20), as: User.self)
    _ = try await api.get("me", options: RequestOptions(timeoutInterval: .seconds(3)), as: User.self)
    var api = api
    api.requestSerializer = JSONRequestSerializer(isPretty: true)
    var serializer = HTTPRequestSerializer()
    serializer.queryStringStyle = .format(QueryFormat(arrays: .none, bools: .literal))
    api.requestSerializer = serializer
}

func useCodec(_ api: HTTPSession) async throws {
    var api = api
    api.encoder.keys = .snakeCase
    api.decoder.keys = .snakeCase
    api.encoder.dates = .secondsSince1970
    api.decoder.dates = .secondsSince1970
    api.encoder.floats = .strings(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    api.decoder.floats = .strings(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    api.requestSerializer = .json
    _ = try await api.get("me", serializer: .decodable(User.self))
    _ = try await api.get("me", serializer: .decodable(User.self, decoder: ResponseDecoder()))
    _ = try await api.get("me", serializer: .decodable(User.self, decoder: JSONDecoder()))
    _ = try await api.get("me", serializer: .decodable(User.self).map(\.name))
    _ = try await api.get("me", serializer: .string.map { @Sendable in $0.count })
    let response = try await api.get("users", parameters: ["page": 1])
    let users = try response.decode([User].self)
    let others: [Unsent] = try response.decode()
    let (text, japanese) = (try response.text(), try response.text(in: .shiftJIS))
    print(users, others.count, text, japanese, response.headers[.lastModified] ?? "")
}

func useStreams(_ api: HTTPSession) async throws {
    var count = 0
    for try await bytes in try await api.stream("rows", query: ["page": 1]).body { count += bytes.readableBytes }
    print(count)
    let reconnecting = EventSource.Options(lastEventID: "7", maximumAttempts: 3)
    let options = RequestOptions(handlesCookies: false)
    for try await event in try await api.events("chat", options: options, reconnecting: reconnecting) { print(event) }
    for try await event in try api.prepare(.get, "chat").events(reconnecting: reconnecting) { print(event) }
    print(try await api.stream("rows").response().body, try await api.stream("rows").response(upTo: 10).status)
    _ = try await api.session.value(for: Request(url: URL(filePath: "/")), serializer: .string)
}

func usePreparedCalls(_ api: HTTPSession, name: String?, page: Int, file: URL, form: MultipartFormData) async throws {
    var call = try api.prepare(.post, "rows", parameters: ["name": name, "page": page], headers: ["X-Api-Key": "k"])
    call.request.options.usesPipelining = true
    call.monitor = TransferMonitor()
    print(call.request.cURL(), call.request.cURL(redacting: .none))
    _ = try await call.response()
    _ = try await call.value(as: User.self)
    _ = try await call.value(serializer: .string)
    _ = try await call.stream()
    _ = try await call.download(to: file)
    call.task().resume()
    _ = try await call.task(as: User.self).value
    call.task(serializer: .string).onCompletion { print($0) }
    call.downloadTask(to: file, destinationOptions: .overwrite).cancel()
    _ = try api.prepare(.put, "rows", parameters: User())
    _ = try api.prepare(.put, "photo", multipart: form)
}

func handleErrors(_ api: HTTPSession) async throws {
    do {
        _ = try await api.get("users/1", as: User.self)
    } catch let error as SessionError where error.code == .unacceptableStatus {
        print(error.response?.status.code ?? 0)
    }
}

/// A type of the program that only decodes.
public struct Unsent: Decodable {
    public let name: String
}

func decodeAnywhere(_ error: SessionError, _ event: ServerSentEvent) throws {
    print(try error.decode(Unsent.self).name, try event.decode(Unsent.self).name)
    let (problem, message): (Unsent, Unsent) = (try error.decode(), try event.decode())
    print(problem.name, message.name)
}

func makeForm(_ form: inout MultipartFormData, page: Int, json: String) {
    form.append("page \(page)", name: "title")
    form.append(json, name: "map", contentType: "application/json")
}

typealias DataStream = AsyncThrowingStream<Data, any Error>

func sendSequences(_ api: HTTPSession, bytes: AsyncStream<[UInt8]>, data: DataStream) async throws {
    try await api.post("log", body: .stream(bytes))
    try await api.post("log", body: .stream(data, length: 10)) { print($0.fraction ?? 0) }
    let source = try await api.stream("files/a")
    try await api.put("files/b", body: .stream(source.body, length: source.body.expectedLength))
    try await api.put("files/b", body: .stream(source.body)) { print($0.completed) }
}

func reportProgress(_ api: HTTPSession, file: URL) async throws {
    _ = try await api.put("a", body: .file(file), as: User.self) { print($0.fraction ?? 0) }
    _ = try await api.put("a", body: .file(file), serializer: .string) { print($0.fraction ?? 0) }
    _ = try await api.get("a", as: User.self) { print($0.completed) }
    _ = try await api.get("a", as: User.self, progress: nil)
}

func useTables(_ api: HTTPSession, numbers: [String: Int], mixed: [String: any Encodable & Sendable]) async throws {
    try await api.post("a", query: Parameters(numbers), parameters: numbers)
    try await api.post("a", query: Parameters(mixed), parameters: Parameters(mixed))
}

func leaveOut(_ api: HTTPSession) throws {
    var configuration = Session.Configuration()
    configuration.proxy = .direct
    var call = try api.prepare(.get, "me")
    call.request.authentication = .anonymous
    call.request.retries = .never
    call.request.transportOptions.proxy = .direct
}

struct Maintenance: Interceptor {
    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        StreamedResponse(to: request, status: .serviceUnavailable, body: ResponseBody("maintenance".utf8))
    }
}

func readBuffers(_ response: StreamedResponse) async throws -> ByteBuffer {
    var all = ByteBuffer()
    for try await buffer in response.body { all.writeImmutableBuffer(buffer) }
    return all
}
