/// The style sheet: gray, one accent color, tabular figures. Always light in print.
enum ReportStyle {
    static let css: HTML = """
        :root { color-scheme: light dark; --paper: #fff; --ink: #1c2026; --soft: #59616c; --line: #dfe2e7;
          --track: #eceef2; --accent: #2b66d9; --deep: #12367e; }
        @media screen and (prefers-color-scheme: dark) {
          :root { --paper: #14161a; --ink: #e7e9ec; --soft: #a2a9b4; --line: #2e333b; --track: #23272e;
            --accent: #6f9dff; --deep: #c9dbff; }
        }
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; }
        body { margin: 0 auto; max-width: 70rem; padding: 2.5rem 1.5rem 2rem; background: var(--paper);
          color: var(--ink); font: 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
          font-variant-numeric: tabular-nums; }
        header { margin-bottom: 2rem; }
        h1 { margin: 0; font-size: 1.75rem; line-height: 1.25; font-weight: 650; overflow-wrap: anywhere; }
        h2 { margin: 0 0 0.75rem; font-size: 1rem; font-weight: 650; }
        p { margin: 0; }
        .soft, footer, dd.note, .tick, .step, thead th, summary, td.soft { color: var(--soft); }
        .tiles { display: grid; grid-template-columns: repeat(4, 1fr); column-gap: 1.5rem; margin: 0 0 2.5rem;
          border-bottom: 1px solid var(--line); }
        .tiles > div { border-top: 1px solid var(--line); padding: 0.8rem 0; }
        .tiles dt { color: var(--soft); font-size: 0.8125rem; }
        .tiles dd { margin: 0; }
        .tiles dd.value { font-size: 1.5rem; line-height: 1.3; font-weight: 600; }
        .tiles dd.note { font-size: 0.8125rem; min-height: 1.25rem; }
        .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 2.5rem 3.5rem; margin-bottom: 2.5rem; }
        .pair > * { min-width: 0; }
        .wide { margin-bottom: 2.5rem; }
        figure { margin: 0; }
        .limit { margin-bottom: 0.5rem; }
        .limit figcaption span { display: inline-block; min-width: 5rem; color: var(--soft); }
        svg { display: block; }
        .limit svg { overflow: visible; }
        .columns { margin-left: 4rem; width: calc(100% - 4rem); overflow: visible; }
        text { font-size: 11px; fill: currentColor; }
        .tick { text-anchor: end; }
        .step { text-anchor: middle; }
        .grid { stroke: var(--line); }
        .base { stroke: var(--soft); }
        .fill { fill: var(--accent); }
        .track { fill: var(--track); }
        .pinned { fill: var(--deep); }
        .low { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 3 2; }
        .full { stroke: var(--ink); stroke-width: 2; }
        .bar { margin-top: 0.2rem; }
        table { width: 100%; border-collapse: collapse; }
        th { font-weight: 400; text-align: left; }
        thead th { font-size: 0.8125rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
        th, td { padding: 0.3rem 0 0.3rem 1rem; vertical-align: top; }
        th:first-child { padding-left: 0; overflow-wrap: anywhere; }
        td { white-space: nowrap; }
        .n { text-align: right; }
        .entries, .counts { table-layout: fixed; }
        .entries .n { width: 7rem; }
        .counts .n { width: 30%; }
        .entries tbody tr + tr > *, .counts tbody tr + tr > * { border-top: 1px solid var(--line); }
        .named { display: flex; gap: 0.75rem; align-items: center; min-width: 0; }
        .named > span + span { min-width: 0; }
        .entries tr:has(img) > * { vertical-align: middle; }
        .picture { flex: 0 0 48px; line-height: 0; text-align: center; }
        .picture img { background: repeating-conic-gradient(#b3b3b3 0 25%, #8c8c8c 0 50%) 0 0 / 8px 8px;
          outline: 1px solid var(--line); }
        code { font: 0.8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
          color: var(--soft); }
        em { font-style: normal; color: var(--soft); }
        details { margin-top: 0.5rem; }
        summary { cursor: pointer; font-size: 0.8125rem; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
        footer { border-top: 1px solid var(--line); padding-top: 1rem; font-size: 0.8125rem; }
        footer p + p { margin-top: 0.4rem; }
        @media (max-width: 50rem) {
          body { padding: 1.5rem 1rem; }
          .pair { grid-template-columns: 1fr; }
          .tiles { grid-template-columns: 1fr 1fr; }
          .columns { margin-left: 3.25rem; width: calc(100% - 3.25rem); }
          .step { font-size: 10px; }
          th, td { padding-left: 0.6rem; }
          .entries td, .entries th { font-size: 0.8125rem; }
          .entries .n { width: 17.5%; }
          .ago { display: none; }
          .ranking th, .ranking td { font-size: 0.875rem; }
          .ranking .n:nth-child(3), .entries .n:last-child { display: none; }
          .entries code { display: block; }
        }
        @media print {
          @page { margin: 15mm; }
          body { max-width: none; padding: 0; font-size: 9.5pt; }
          * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
          figure, tr, .tiles { break-inside: avoid; }
          details { display: none; }
        }
        """
}
