/** Texts of which an editor, a form or a browser has changed something before. */
export const ODD_DOCUMENTS: readonly (readonly [name: string, text: string])[] = [
  ['nothing', ''],
  ['a line break', '\n'],
  ['blank lines first', '\n\n\n# Title\n'],
  ['no final line break', 'one\ntwo'],
  ['many final line breaks', 'one\n\n\n\n'],
  ['spaces at the ends of lines', 'one  \ntwo \t\n   \nthree'],
  ['tabs', '\tcode\n\t\tmore\n- a\n\t- b\n'],
  ['a closing textarea', 'a </textarea> b <!-- c --> </TEXTAREA\n'],
  ['entities', '&amp; &lt; &nbsp; &#13; &copy; &\n'],
  ['separators of Unicode', 'a\u2028b\u2029c\u0085d\n'],
  ['a byte order mark within', 'a\ufeffb\n\ufeff\n'],
  ['control characters', 'a\u0001b\u0008c\u001bd\u007fe\n'],
  ['right to left', 'שלום עולם **bold** العربية\n\n> اقتباس\n'],
  ['joined characters', '👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301 ñ 각 ﷽\n'],
  ['a lone surrogate of a pair beside others', '𝒳𝒴 𠮷\n'],
  ['no-break spaces', 'a\u00a0b\u202fc\u2009d\u200be\n'],
  ['a long line', `${'word '.repeat(1000)}\n`],
  ['a long word', `${'x'.repeat(5000)}\n`],
  ['marks of all kinds', '*a* _b_ **c** __d__ ~~e~~ `f` ``g`h`` ***i*** *j **k** l*\n'],
  ['marks over lines', '**bold\nover lines** and *more\nof it*\n'],
  ['open marks', '**a *b `c [d ![e <f ~~g\n'],
  ['escapes', '\\*a\\* \\_b\\_ \\# c \\[d\\] \\\\ \\`\n'],
  ['headings', '# a\n## b ##\n### c\n#### d\n##### e\n###### f\n####### g\n#h\n# \n'],
  ['underlined headings', 'a\n===\n\nb\nc\n---\n'],
  ['links', '[a](b) [c](<d e> "t") [e][f] [g] <https://h.example> https://i.example www.j.example\n\n[f]: /k "l"\n'],
  ['a link over lines', '[a\nb](/c "d\ne")\n'],
  [
    'pictures',
    '![a](/picture.png)\n\ntext ![b](/picture.png "c") text ![](/picture.png?2) ![d](https://elsewhere.example/e.png)\n',
  ],
  ['a picture over lines', '![a\nb](/picture.png\n"c")\n'],
  ['pictures in links', '[![a](/picture.png)](/b) [**c** `d`](/e)\n'],
  ['lists', '- a\n  - b\n    - c\n* d\n+ e\n\n1. f\n2) g\n10. h\n   i\n'],
  ['tasks', '- [ ] a\n- [x] b\n  - [X] c\n1. [ ] d\n- [] e\n- [ ]\n'],
  ['quotes', '> a\n> > b\n>c\nd\n\n>\n> # e\n> - f\n'],
  ['fences', '```js\nlet a = `b`\n```\n\n~~~\nc\n~~~\n\n````\n```\n````\n\n```\nopen\n'],
  ['indented code', '    a\n\n    b\n'],
  ['rules', '---\n\n***\n\n_ _ _\n\n- - -\n'],
  ['a table', '| a | b |\n|---|:-:|\n| c | **d** |\n| e |\n| f | g | h |\n'],
  ['a table without bars at its ends', 'a | b\n--- | ---:\nc | d\n e | \n'],
  ['tables in a row', '| a |\n|---|\n| b |\n\n| c | d |\n|---|---|\n'],
  ['a table in a quote', '> | a | b |\n> |---|---|\n> | c | d |\n'],
  ['bars in cells', '| a | b |\n|---|---|\n| `c|d` | e \\| f |\n|||\n| | |\n'],
  ['HTML', '<div class="a">\n  <p>b</p>\n</div>\n\nc <b>d</b> <br> <!-- e --> <?f?> <![CDATA[g]]>\n'],
  ['a script', '<script>\nalert(1)\n</script>\n<img src=/x onerror=alert(1)>\n'],
  ['shortcodes', '{{< figure src="a.png" >}}\n{{% note %}}\nb\n{{% /note %}}\n{% raw %}{{ c }}{% endraw %}\n'],
  ['front matter within', '---\ntitle: a\n---\n\nb\n'],
  ['footnotes and maths', 'a[^1] $b_c$ $$d$$\n\n[^1]: e\n'],
  ['hard breaks', 'a  \nb\\\nc<br>\nd\n'],
  ['mixed indentation', ' a\n  b\n   c\n \td\n'],
  ['only spaces', '   \n \n\t\n'],
  ['deep quotes', `${'> '.repeat(60)}a\n`],
  ['dense marks', `${'*a_ '.repeat(2000)}\n`],
]

/** Texts joined of some, so that each stands beside others, with a repeatable choice. */
export function joined(count: number): [name: string, text: string][] {
  let seed = 7
  const next = (most: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    return (seed >>> 8) % most
  }
  return Array.from({ length: count }, (_, index) => {
    const parts = Array.from({ length: 2 + next(6) }, () => ODD_DOCUMENTS[next(ODD_DOCUMENTS.length)]?.[1] ?? '')
    return [`joined ${index}`, parts.join(next(2) === 0 ? '\n' : '')]
  })
}
