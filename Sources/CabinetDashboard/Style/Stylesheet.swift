/// The style of all pages, light and dark.
enum Stylesheet {
    static let text = """
        :root { color-scheme: light dark; --page: #fff; --raised: #f5f6f8; --line: #d9dce2; --text: #1b1d22; --soft: #585e6a; --link: #1d4fc4;
          --main: #2f5bd7; --on-main: #fff; --danger: #b3261e; --mark: #fff3c4; --good: #146c2e; font: 1rem/1.5 system-ui, sans-serif; }
        @media (prefers-color-scheme: dark) { :root { --page: #16181d; --raised: #1f2229; --line: #363b45; --text: #e8eaee; --soft: #a5acb8;
          --link: #9db8ff; --main: #3f68dc; --danger: #ff8a80; --mark: #4a3d0c; --good: #7fd894; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--page); color: var(--text); }
        a { color: var(--link); text-underline-offset: .15em; }
        h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
        h2 { font-size: 1.0625rem; line-height: 1.3; margin: 1.5rem 0 .5rem; overflow-wrap: anywhere; }
        p { margin: 0 0 1rem; }
        small { color: var(--soft); font-weight: 400; font-size: .8125rem; }
        code, pre, .code, time { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .875rem; }
        time { white-space: nowrap; }
        .break { overflow-wrap: anywhere; }
        .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
        .skip { position: absolute; left: -100rem; } .skip:focus { left: .5rem; top: .5rem; z-index: 1; background: var(--page); padding: .5rem; }
        header { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.5rem; padding: .625rem 1.25rem; border-bottom: 1px solid var(--line); }
        .brand { display: flex; align-items: center; gap: .5rem; font-weight: 700; color: var(--text); text-decoration: none; }
        .choice { display: flex; flex-wrap: wrap; gap: .25rem .75rem; min-width: 0; }
        .choice a { text-decoration: none; overflow-wrap: anywhere; } .choice a[aria-current] { font-weight: 600; color: var(--text); }
        .tabs { display: flex; border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; }
        .tabs a { padding: .25rem .75rem; text-decoration: none; color: var(--text); }
        .tabs a[aria-current] { background: var(--main); color: var(--on-main); }
        .end { margin-left: auto; display: flex; align-items: baseline; gap: .75rem; }
        .act { position: relative; margin: 0 0 0 auto; } .act form { position: absolute; top: calc(100% + .375rem); right: 0; z-index: 1; width: 20rem; max-width: calc(100vw - 1.75rem);
          background: var(--page); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; box-shadow: 0 .25rem 1rem #0003; display: flex; gap: .5rem; align-items: end; }
        .act + .end { margin-left: 0; } .act label { flex: 1; min-width: 0; font-size: .875rem; } .act input { width: 100%; margin-top: .25rem; } .act > summary { padding: .25rem .75rem; }
        .actor { margin: 0; padding: .5rem 1.25rem; background: var(--mark); border-bottom: 1px solid var(--line); }
        .pages { display: flex; gap: 1.25rem; padding: 0 1.25rem; border-bottom: 1px solid var(--line); overflow-x: auto; background: var(--raised); }
        .pages a { padding: .625rem 0; color: var(--soft); text-decoration: none; white-space: nowrap; border-bottom: 2px solid transparent; }
        .pages a[aria-current] { color: var(--text); font-weight: 600; border-color: var(--main); }
        .pages a[aria-current] { scroll-initial-target: nearest; }
        main { padding: 1.25rem; max-width: 110rem; margin: 0 auto; outline: 0; } .narrow { max-width: 30rem; padding-top: 15vh; }
        .trail { display: flex; flex-wrap: wrap; list-style: none; padding: 0; margin: 0 0 .5rem; font-size: .875rem; overflow-wrap: anywhere; }
        .trail li + li::before { content: "›"; color: var(--soft); padding: 0 .5rem; }
        .title { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: start; gap: .5rem 1rem; margin-bottom: 1rem; } .title h1 { margin: 0; }
        .scroll, .empty, .schema, .message { max-width: 64rem; } .scroll:has(.rows), .wide, .columns .scroll { max-width: none; }
        main:not(:has(.rows, .columns, .filter)) .title { max-width: 64rem; }
        .scroll { overflow-x: auto; margin-bottom: 1rem; border: 1px solid var(--line); border-radius: .5rem; }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: start; vertical-align: top; padding: .4375rem .75rem; border-bottom: 1px solid var(--line); }
        tbody tr:last-child > * { border-bottom: 0; } tbody tr:hover { background: var(--raised); }
        thead th { background: var(--raised); font-size: .875rem; white-space: nowrap; } thead th a { color: inherit; text-decoration: none; }
        thead th a:hover { text-decoration: underline; }
        tbody th { font-weight: 500; } tbody :is(th, td) { overflow-wrap: break-word; max-width: 32rem; } td a + a { margin-left: .5rem; } td:has(> a + a) { white-space: nowrap; }
        .number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .rows :is(th, td) { white-space: nowrap; max-width: 22rem; overflow: hidden; text-overflow: ellipsis; } .rows td > .number:only-child { display: block; } .rows td:has(form) { max-width: none; } .rows .inline { flex-wrap: nowrap; } .rows button { padding: .125rem .5rem; font-size: .875rem; }
        .line { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .line:hover { white-space: normal; overflow-wrap: anywhere; }
        .user { max-width: 11rem; } .record { table-layout: fixed; } .record td { overflow-wrap: anywhere; white-space: normal; } .record th { width: 14rem; font-weight: 600; overflow-wrap: anywhere; } .record th small { display: block; }
        .none, .count, .status { color: var(--soft); } .status a { margin-left: .75rem; }
        .text { white-space: pre-wrap; } .list { margin: 0; padding-inline-start: 1.25rem; } .plain { list-style: none; padding: 0; margin: 0 0 1rem; }
        .columns { display: grid; grid-template-columns: minmax(0, 1fr) 22rem; gap: 0 2rem; } .columns > section > h2, aside > section:first-child > h2 { margin-top: 0; }
        dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1rem; margin: 0; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
        label { font-weight: 500; } .field { margin-bottom: .875rem; } .field > label { display: block; margin-bottom: .25rem; } .field small { margin-left: .5rem; }
        input, textarea, select { font: inherit; color: var(--text); background: var(--page); border: 1px solid var(--soft); border-radius: .375rem; padding: .375rem .625rem; max-width: 100%; }
        .field > input:not([type=checkbox]), .field > textarea, .schema textarea { width: 100%; } .field.new { display: flex; flex-wrap: wrap; gap: .5rem; } .field.new > label { flex-basis: 100%; margin: 0; } .field.new > input { flex: 1 1 8rem; min-width: 0; } .schema label { display: block; font-weight: 400; color: var(--soft); margin-bottom: .5rem; }
        [aria-invalid] { border-color: var(--danger); }
        button, .button { font: inherit; font-weight: 500; color: var(--text); background: var(--raised); border: 1px solid var(--line); border-radius: .375rem; padding: .375rem .875rem;
          text-decoration: none; cursor: pointer; display: inline-block; white-space: nowrap; }
        button:hover, .button:hover { border-color: var(--soft); }
        .main:is(button, a) { background: var(--main); border-color: var(--main); color: var(--on-main); }
        .danger:is(button, a) { color: var(--danger); border-color: currentcolor; background: none; white-space: normal; overflow-wrap: anywhere; text-align: start; } p:has(> button) { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; } button.link { border: 0; background: none; color: var(--link); padding: 0; text-decoration: underline; font-weight: 400; }
        .filter { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin-bottom: 1rem; } .filter label { display: grid; gap: .25rem; font-size: .875rem; flex: 0 1 11rem; min-width: 0; } .filter :is(input, select) { width: 100%; height: 2.25rem; } .filter .wide { flex: 1 1 24rem; min-width: 0; }
        .inline { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin-bottom: 1rem; } .inline label { display: grid; gap: .25rem; font-size: .875rem; } .small { margin: 0; } .small input:not([type=hidden]) { width: 9rem; }
        .pager { display: flex; gap: .5rem; } details { margin-bottom: 1rem; } details > .inline { margin-top: .75rem; } summary { cursor: pointer; } summary.button { list-style: none; } summary.button::-webkit-details-marker { display: none; }
        summary.button::before { content: "▸"; display: inline-block; width: 1.125em; color: var(--soft); } [open] > summary.button::before { content: "▾"; } .edit { padding-top: .75rem; max-width: 48rem; }
        .message { border-left: .25rem solid var(--danger); background: var(--raised); padding: .625rem .875rem; overflow-x: auto; margin: 0 0 1rem; white-space: pre-wrap; }
        .good.message { border-color: var(--good); } .plan.message { border-color: var(--main); } .secret { border: 1px solid var(--line); border-left: .25rem solid var(--good); border-radius: .375rem; padding: .75rem 1rem; margin-bottom: 1rem; }
        .secret h2 { margin-top: 0; } .secret p:last-child { margin: 0; color: var(--soft); } .check { display: inline-block; font-weight: 400; margin-top: .25rem; } .check input { width: auto; }
        .builder .filter { margin: .75rem 0 0; }
        meter { width: 8rem; vertical-align: middle; } meter::-webkit-meter-bar { border: 0; background: var(--line); height: .5rem; border-radius: .25rem; }
        meter::-webkit-meter-optimum-value { background: var(--main); border-radius: .25rem; } meter::-moz-meter-bar { background: var(--main); } td > dl { gap: 0 .75rem; }
        .empty { text-align: center; color: var(--soft); padding: 3rem 1rem; border: 1px dashed var(--line); border-radius: .5rem; margin-bottom: 1rem; } .empty p { margin: .25rem 0; }
        .thumbnail { display: block; max-width: min(16rem, 100%); max-height: 12rem; border-radius: .375rem; margin-bottom: .25rem; } .asset { display: inline-block; max-width: 100%; }
        .conflict { background: var(--mark); } .gone { color: var(--soft); } .changes { padding-inline-start: 1.25rem; color: var(--good); } .loss { color: var(--danger); }
        #news { position: fixed; inset: auto 1rem 1rem auto; background: var(--raised); border: 1px solid var(--line); border-radius: .5rem; padding: .625rem 1rem; box-shadow: 0 2px 8px #0003; }
        :focus-visible { outline: .1875rem solid #5e8bff; outline-offset: .125rem; }
        @media (max-width: 56rem) { .columns { grid-template-columns: minmax(0, 1fr); } .record th { width: 9rem; } main, header, .pages { padding-inline: .875rem; }
          header { gap: .625rem .5rem; } th, td { padding-inline: .5rem; } .tabs a { padding-inline: .5rem; } .wide wbr { display: none; } .act + .end { margin-left: auto; } .end { order: 1; } header nav, .act { order: 2; } .choice { flex-basis: 100%; }
          .filter label { flex: 1 1 9rem; } .inline:not(.small) label { flex: 1 1 9rem; } .inline:not(.small) input { width: 100%; }
          .pages { mask-image: linear-gradient(to right, #000 calc(100% - 2rem), transparent); padding-right: 2rem; scroll-padding-inline: .875rem 2rem; } }

        """
}
