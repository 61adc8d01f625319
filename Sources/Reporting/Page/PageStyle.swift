/// The look of a report page.
///
/// Few colours, each with one meaning, and a shape beside it: updated is a dot, fresh a ring, failed a diamond,
/// skipped a dash. No font but the system's, nothing that is loaded.
enum PageStyle {
  /// Of ``text``, in Base64, for the page's policy; a test compares.
  static let sha256 = "LmB79ZH8P3zfgQBzyOP1Ffco/Z36RMlel90GLn0df3s="

  static let text = colours + layout + parts + drawings + print

  private static let colours = """

    :root{--bg:#fff;--soft:#f5f6f8;--line:#dce0e5;--text:#1a1f26;--muted:#59636f;
    --blue:#0b66b8;--red:#b3261e;--amber:#8f5a00;--grey:#6b7683;--pale:#9ec3e6;--focus:#0b66b8}
    @media (prefers-color-scheme:dark){:root:not([data-theme=light]){--bg:#14181d;--soft:#1c2229;--line:#303842;
    --text:#e4e8ec;--muted:#9aa5b1;--blue:#63b0f4;--red:#ff8a7a;--amber:#e0b04a;--grey:#93a0ad;--pale:#2d5f8c;
    --focus:#63b0f4;color-scheme:dark}}
    :root[data-theme=dark]{--bg:#14181d;--soft:#1c2229;--line:#303842;
    --text:#e4e8ec;--muted:#9aa5b1;--blue:#63b0f4;--red:#ff8a7a;--amber:#e0b04a;--grey:#93a0ad;--pale:#2d5f8c;
    --focus:#63b0f4;color-scheme:dark}
    :root[data-theme=light]{color-scheme:light}
    .updated{--state:var(--blue)}.fresh{--state:var(--grey)}.failed{--state:var(--red)}.skipped{--state:var(--amber)}

    """

  private static let layout = """
    *{box-sizing:border-box}
    html{scroll-padding-top:3rem}
    body{margin:0;background:var(--bg);color:var(--text);font:14px/1.45 system-ui,sans-serif;
    font-variant-numeric:tabular-nums}
    header,main,footer{max-width:1240px;margin:0 auto;padding:0 24px}
    header{padding-top:20px}
    section{margin:28px 0 0}
    h1{font-size:22px;line-height:1.25;font-weight:650;margin:0;letter-spacing:-.01em}
    h2{font-size:15px;font-weight:650;margin:0 0 8px}
    h3{font-size:14px;font-weight:600;margin:0}
    h2 small,h3 small{font-size:13px;font-weight:400;color:var(--muted);margin-left:6px}
    p{margin:0}
    a{color:inherit;text-decoration-color:var(--line);text-underline-offset:2px}
    a:hover{text-decoration-color:currentcolor}
    :focus-visible{outline:2px solid var(--focus);outline-offset:2px}
    code{font:12.5px/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
    button,input{font:inherit;color:inherit}
    footer{margin-top:32px;padding-bottom:24px;color:var(--muted);font-size:12px}
    .hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
    html:not(.js) .needs-script{display:none}
    .more{color:var(--muted);margin:0 0 8px}
    .scroll{overflow-x:auto;position:relative}

    """

  private static let parts = """
    .top{display:flex;gap:16px;align-items:flex-start;justify-content:space-between}
    .theme{display:flex;flex:none;border:1px solid var(--line);border-radius:6px;overflow:hidden}
    .theme button{border:0;background:none;padding:2px 8px;font-size:12px;color:var(--muted);cursor:pointer}
    .theme button[aria-pressed=true]{background:var(--soft);color:var(--text);font-weight:600}
    .meta{color:var(--muted);margin-top:4px}
    .meta span::before{content:"/";margin:0 6px;color:var(--line)}
    .counts{display:flex;flex-wrap:wrap;gap:4px 20px;list-style:none;margin:16px 0 0;padding:0;font-size:16px;
    font-weight:600}
    .mark{display:inline-block;width:9px;height:9px;margin-right:7px;border-radius:50%;background:var(--state);
    flex:none;position:relative;top:0}
    .fresh .mark{background:none;border:2px solid var(--state)}
    .failed .mark,.error .mark{border-radius:1px;transform:rotate(45deg) scale(.9)}
    .skipped .mark{border-radius:1px;height:3px;width:10px;top:-3px}
    .figures{display:flex;flex-wrap:wrap;gap:4px 28px;margin:10px 0 0;padding:10px 0 0;border-top:1px solid var(--line)}
    .figures div{display:flex;gap:6px;align-items:baseline}
    .figures dt{color:var(--muted);order:1}.figures dd{margin:0;font-weight:600}
    .error{--state:var(--red);border-left:3px solid var(--state);padding:7px 0 7px 12px;margin:0 0 10px;
    background:var(--soft);border-radius:0 4px 4px 0;padding-right:12px}
    .error.optional{--state:var(--amber)}
    .error h3{display:flex;flex-wrap:wrap;gap:0 8px;align-items:baseline}
    .error .mark{margin-right:0}
    .group{margin:0 0 14px}
    .group>h3{margin:0 0 2px}
    .group>.hint{margin:0 0 8px}
    .group .error{margin:0 0 4px;padding-top:5px;padding-bottom:5px}
    .error h3 code{color:var(--state)}
    .error .place{margin-left:auto}
    .error p,.warnings li{overflow-wrap:anywhere}
    .error .kept{color:var(--muted)}
    details>summary{cursor:pointer;margin:0 0 10px;color:var(--muted)}
    .warnings{margin:0;padding-left:18px}
    .hint b{font-weight:600}
    .controls{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;margin:0 0 8px}
    .controls input[type=search]{width:260px;max-width:100%;padding:4px 8px;border:1px solid var(--line);
    border-radius:6px;background:var(--bg)}
    .controls fieldset{border:0;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:4px 14px}
    .controls label{display:flex;align-items:center;cursor:pointer}
    .controls label input{margin:0 7px 0 0;accent-color:var(--state)}
    .controls output{color:var(--muted);margin-left:auto}
    table{border-collapse:collapse;width:100%;font-size:13px}
    th,td{text-align:left;vertical-align:top;padding:5px 16px 5px 0;font-weight:400;border-bottom:1px solid var(--line)}
    thead th{position:sticky;top:0;background:var(--bg);color:var(--muted);font-size:12px;font-weight:600;white-space:nowrap;
    border-bottom-color:var(--muted)}
    tbody th{font-weight:600;min-width:9rem;overflow-wrap:anywhere}
    td{overflow-wrap:anywhere}
    td:nth-child(3){min-width:13rem;max-width:24rem}td:last-child{min-width:15rem;width:34%;padding-right:0}
    .n{text-align:right;white-space:nowrap}
    td small,th small{display:block;color:var(--muted);font-size:12px;font-weight:400;line-height:1.4}
    thead button{border:0;background:none;padding:0;font:inherit;color:inherit;cursor:pointer}
    thead button::after{content:"";display:inline-block;width:0;height:0;margin-left:5px;border:4px solid transparent;
    vertical-align:middle}
    th[aria-sort=ascending],th[aria-sort=descending]{color:var(--text)}
    th[aria-sort=ascending] button::after{border-bottom-color:currentcolor;transform:translateY(-2px)}
    th[aria-sort=descending] button::after{border-top-color:currentcolor;transform:translateY(2px)}
    .state{white-space:nowrap;color:var(--state);font-weight:600}
    tr.fresh .state{font-weight:400}
    tr:target,tr.found{background:var(--soft)}
    html.js:not(.ready) .fold tr.fresh,html.js .rest{display:none}
    #more button{border:1px solid var(--line);border-radius:6px;background:none;padding:4px 12px;margin-top:10px;
    cursor:pointer;color:var(--text)}
    @media (min-width:1000px){#targets .scroll{overflow:visible}}
    @media (max-width:700px){header,main,footer{padding-left:14px;padding-right:14px}h1{font-size:19px}
    .minor{display:none}.controls input[type=search]{width:100%}.controls output{margin-left:0}
    .error .place{margin-left:0}tbody th{position:sticky;left:0;background:var(--bg);min-width:7.5rem;max-width:9rem}
    td:nth-child(3){min-width:12rem}}

    """

  private static let drawings = """
    .defs{position:absolute;width:0;height:0}
    .legend{display:flex;flex-wrap:wrap;gap:2px 18px;list-style:none;margin:0 0 8px;padding:0;color:var(--muted);
    font-size:12px}
    .legend li{display:flex;align-items:center;gap:6px}
    .legend svg{width:24px;height:18px}
    .row{display:grid;grid-template-columns:minmax(96px,200px) 1fr;gap:0 12px;align-items:center}
    .row .name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-size:13px}
    .row .name a{text-decoration:none}.row .name a:hover{text-decoration:underline}
    .row.failed .name{color:var(--red);font-weight:600}
    .row.activity{margin-bottom:10px}
    .row.activity .name{color:var(--muted)}
    .row .bar{width:100%;height:18px;overflow:hidden;display:block}
    .row:hover{background:var(--soft)}
    .axis text{font-size:11px;fill:var(--muted)}
    #grid line{stroke:var(--line);stroke-width:1}
    rect.asking{fill:var(--pale)}rect.receiving{fill:var(--blue)}rect.pausing{fill:var(--amber)}
    rect.steps,rect.placing{fill:var(--grey)}rect.cross{fill:var(--red)}
    .row.activity .bar{height:56px}
    .graph{display:block}
    .graph text{font-size:12px;fill:var(--text)}
    .graph a{text-decoration:none}
    .node rect{fill:var(--soft);stroke:var(--line)}
    .node.failed rect{stroke:var(--red);stroke-width:2}
    .node.skipped rect{stroke:var(--amber);stroke-dasharray:4 3}
    .node.updated rect{stroke:var(--blue)}
    .node.fresh text{fill:var(--muted)}
    .node:hover rect{fill:var(--bg)}
    .shape{fill:var(--state)}.ring{fill:none;stroke:var(--state);stroke-width:1.5}
    .arrow{fill:none;stroke:var(--grey);stroke-width:1.2}
    .arrow.after{stroke-dasharray:6 4}.arrow.from{stroke-width:2.4}.arrow.verify{stroke-dasharray:2 3}
    .tip{fill:var(--grey)}
    @media (max-width:700px){.row{grid-template-columns:96px 1fr}}

    """

  private static let print = """
    @media print{:root,:root[data-theme]{--bg:#fff;--soft:#fff;--text:#000;--muted:#444;--line:#bbb;--blue:#0b66b8;
    --red:#b3261e;--amber:#8f5a00;--grey:#6b7683;--pale:#9ec3e6;color-scheme:light}
    body{font-size:11px}.needs-script{display:none!important}.scroll{overflow:visible}
    header,main,footer{max-width:none;padding-left:0;padding-right:0}
    tr,.error,.row{break-inside:avoid}thead th{position:static}
    svg,.mark{print-color-adjust:exact;-webkit-print-color-adjust:exact}}

    """
}
