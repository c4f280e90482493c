# Copyright (c) 2026 the Bluebonnet project authors
# SPDX-License-Identifier: Apache-2.0
"""What the measurements say: tables in Markdown, and a chart."""

import html
import statistics

BASE = "AsyncHTTPClient"
COLOURS = {
    "Bluebonnet": "#3b5bdb",
    "Bluebonnet (session)": "#5574f0",
    "Bluebonnet (engine)": "#91a7ff",
    "AsyncHTTPClient": "#f08c00",
    "URLSession": "#adb5bd",
    "curl": "#2b8a3e",
}


def median(rows, key):
    return statistics.median(row[key] for row in rows)


def table(job, peers, results, allocations):
    """One workload: the rate, its spread, the ratio to the peer that everything is compared with, and the cost."""
    rate, cost = job.units
    lines = ["", f"### {job.title}", "",
             f"| client | {rate} | lowest to highest | to {BASE} | {cost} | to {BASE} | peak memory, MiB |"
             + (" allocations per request |" if allocations else ""),
             "|---|---:|---:|---:|---:|---:|---:|" + ("---:|" if allocations else "")]
    base = results.get((job.name, BASE))
    for peer in peers:
        rows = results.get((job.name, peer))
        if not rows:
            lines.append(f"| {peer} |" + " – |" * (7 if allocations else 6))
            continue
        rates = [row["rate"] for row in rows]
        line = f"| {peer} | {number(median(rows, 'rate'))} | {number(min(rates))} to {number(max(rates))} |"
        for key in ("rate", "cost"):
            line += f" {median(rows, key) / median(base, key):.2f} |" if base else " – |"
            if key == "rate":
                line += f" {number(median(rows, 'cost'))} |"
        line += f" {median(rows, 'peak'):,.0f} |"
        if allocations:
            line += f" {allocations[peer]:,.1f} |" if peer in allocations else " – |"
        lines.append(line)
    return lines


def number(value):
    return f"{value:,.0f}" if value >= 20 else f"{value:,.2f}"


def summary(results, columns):
    """The cells of small responses in the README's comparison; None if one of them was not measured."""
    cells = []
    for peer in columns:
        rows = [results.get((job, peer)) for job in ("one at a time", "32 at a time")]
        if not all(rows):
            return None
        cells.append(" and ".join(number(median(row, "rate")) for row in rows))
    return " | ".join(cells)


def chart(jobs, peers, results):
    """Bars of every peer's median rate beside AsyncHTTPClient's, as SVG."""
    row, gap, left, width = 15, 14, 200, 420
    shown = [job for job in jobs if results.get((job.name, BASE))]
    ratios = {
        (job.name, peer): median(results[job.name, peer], "rate") / median(results[job.name, BASE], "rate")
        for job in shown for peer in peers if results.get((job.name, peer))
    }
    if not ratios:
        return None
    scale = width / max(ratios.values())
    body, top = [], 40
    for job in shown:
        members = [peer for peer in peers if (job.name, peer) in ratios]
        middle = top + row * len(members) / 2 + 4
        body.append(f'<text x="{left - 8}" y="{middle:.0f}" text-anchor="end">{html.escape(job.name)}</text>')
        for peer in members:
            ratio = ratios[job.name, peer]
            body.append(f'<rect x="{left}" y="{top + 1}" width="{ratio * scale:.1f}" height="{row - 2}" '
                        f'fill="{COLOURS[peer]}"><title>{html.escape(peer)}</title></rect>')
            body.append(f'<text x="{left + ratio * scale + 4:.1f}" y="{top + row - 3}">{ratio:.2f}</text>')
            top += row
        top += gap
    legend, x = [], left
    for peer in peers:
        legend.append(f'<rect x="{x}" y="14" width="10" height="10" fill="{COLOURS[peer]}"/>'
                      f'<text x="{x + 14}" y="23">{html.escape(peer)}</text>')
        x += 24 + 7 * len(peer)
    line = f'<line x1="{left + scale:.1f}" y1="32" x2="{left + scale:.1f}" y2="{top - gap}" stroke="#868e96" stroke-dasharray="3 3"/>'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {max(left + width + 50, x)} {top}" '
            f'font-family="sans-serif" font-size="11">\n<title>Rates beside {BASE} (1.00)</title>\n'
            f'<rect width="100%" height="100%" fill="#ffffff"/>\n' + "\n".join(legend + [line] + body) + "\n</svg>\n")
