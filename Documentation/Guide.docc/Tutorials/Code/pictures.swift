import Bluebonnet

func savePictures(_ api: HTTPSession, to file: URL) async throws {
    let saved = try await api.download("pictures.tar", to: file, policy: .resuming) { progress in
        print(progress.completed, "of", progress.total ?? 0)
    }
    print(saved.byteCount, "bytes,", saved.resumedOffset, "of them in an earlier run")
}
