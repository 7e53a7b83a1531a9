/// The style of all pages, light and dark.
enum PageStyle {
    static let text = """
        :root { color-scheme: light dark; --page: #fff; --raised: #f7f4ee; --line: #ddd6c9; --text: #201d18; --soft: #655d50; --main: #8a4b12;
          --on-main: #fff; --danger: #b3261e; font: 1.0625rem/1.5 system-ui, sans-serif; }
        @media (prefers-color-scheme: dark) { :root { --page: #191714; --raised: #24211d; --line: #413b33; --text: #ede9e2; --soft: #b1a797;
          --main: #f0b37a; --on-main: #3a1f04; --danger: #ff8a80; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--page); color: var(--text); }
        main { max-width: 52rem; margin: 0 auto; padding: 2rem 1.25rem; overflow-wrap: anywhere; }
        h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 1.25rem; } article h1 { margin-bottom: .25rem; } p { margin: 0 0 1rem; } small, .empty { color: var(--soft); }
        a { color: var(--main); text-underline-offset: .2em; } .text, .failure, blockquote { white-space: pre-wrap; }
        .notes { display: grid; grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr)); gap: 1rem; list-style: none; padding: 0; margin: 0 0 2rem; }
        .notes a { display: block; height: 100%; padding-bottom: .75rem; color: var(--text); text-decoration: none; background: var(--raised); border: 1px solid var(--line);
          border-radius: .75rem; overflow: hidden; } .notes a:hover { border-color: var(--soft); }
        .notes .picture { display: block; width: 100%; height: 8rem; object-fit: cover; background: var(--line); margin-bottom: .625rem; }
        .notes span:not(.picture), .notes small { display: block; padding: 0 .875rem; } .notes span:not(.picture) { font-weight: 600; } .notes small { font-size: .875rem; }
        article { margin-bottom: 1.5rem; } article .picture { display: block; max-width: 100%; height: auto; max-height: 26rem; border-radius: .75rem; margin-bottom: 1rem; }
        blockquote { margin: 0 0 1rem; padding: .75rem 1rem; background: var(--raised); border-radius: .5rem; }
        details { border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); margin-bottom: 1.5rem; padding: .75rem 0; } summary { cursor: pointer; font-weight: 600; }
        form.note { display: grid; gap: 1rem; padding-top: 1rem; } label { display: grid; gap: .25rem; font-weight: 600; } .choice { display: block; font-weight: 400; }
        input:not([type=checkbox]), textarea { width: 100%; font: inherit; font-weight: 400; color: var(--text); background: var(--page); border: 1px solid var(--soft); border-radius: .5rem; padding: .5rem .75rem; }
        button { font: inherit; font-weight: 600; justify-self: start; padding: .5rem 1.25rem; color: var(--on-main); background: var(--main); border: 0; border-radius: .5rem; cursor: pointer; }
        button[value=delete] { color: #fff; background: #b3261e; margin-right: .75rem; } .failure { border-left: .25rem solid var(--danger); padding-left: .75rem; }
        #news { position: fixed; inset: auto 1rem 0 auto; background: var(--raised); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem 1rem; }
        #news[hidden] { display: none; } :focus-visible { outline: .1875rem solid #5e8bff; outline-offset: .125rem; }

        """

    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M6 3h14l6 6v20H6z" fill="#8a4b12"/>\
        <path d="M10 13h12M10 18h12M10 23h8" stroke="#fff" stroke-width="2"/></svg>
        """
}
