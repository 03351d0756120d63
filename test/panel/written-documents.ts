import { ODD_DOCUMENTS } from './documents.ts'

/** The word that a test may change. */
export const EDITED = 'Edited-word'

/** Front matter as people and their tools write it. */
const HEADS: readonly string[] = [
  '',
  '---\n---\n',
  "---\ndate: '2012-12-13T16:47:52.000Z'\ncategory: release\ntitle: Node 0.8.16 (Stable)\nlayout: blog-post\nauthor: The Project\n---\n",
  '---\n# A remark\ntitle:   "Spaced"   # another\n\ntags: [ a,  b , \'C d\' ]\nweight: 007\n---\n\n',
  '---\ntitle: >-\n  Folded\n  over lines\nexcerpt: |\n  Kept\n    as it is\n\n  to the end\nstatus: draft\n---\n',
  '---\ntitle: Dates\ndate: 2024-02-29\nupdated: 2024-03-01 10:00:00 +02:00\nwhen: 2024-03-01\nat: 12:30\n---\n',
  '---\ntitle: &t Anchors\nalias: *t\nlist:\n- one\n-   two\n- {a: 1, b: [x, y]}\n---\n',
  '---\ntitle: Nothing\nexcerpt:\nauthor: ~\nlayout: null\nempty: ""\nflag: no\nother: False\n---\n',
  '---\ntitle: Numbers\na: 1.10\nb: 0x1F\nc: 1e3\nd: 12345678901234567890\ne: .inf\nf: -0.0\n---\n',
  '+++\ntitle = "Of TOML"\ndate = 2024-01-02T03:04:05Z\ntags = [\n  "a", # one\n  "b",\n]\n\n[extra]\nkey = \'value\'\n+++\n',
  '---json\n{\n  "title": "Of JSON",\n  "tags": ["a"],\n  "deep": {"er": [1, 2.50, null]}\n}\n---\n',
  '---\r\ntitle: Mixed\r\nexcerpt: "a\\r\\nb"\nauthor: ada\r\n---\r\n',
  '---\ntitle: "  Spaces around  "\nexcerpt: " \\n\\nleads"\nslug: other\n---\n\n\n\n',
  '---\ntitle: Terms\ntags: tides, News\ncategory: [a, b]\ncategories:\n  - A/B\n  - C\n---\n',
  '---\ntitle: Objects\ncover: {url: /a.jpg, alt: "b"}\ngallery:\n  - url: /1.jpg\n    alt: One\n  - url: /2.jpg\n---\n',
  '---\ntitle: "</textarea><b>&amp;"\nexcerpt: "\\u2028 \\u0007 \\t end"\nodd key: x\n"quo\\"ted": y\n---\n',
]

const ENDS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n'),
  (text) => text.replace(/\n+$/, ''),
  (text) => text.replaceAll('\r\n', '\n').replaceAll('\n', '\r'),
  (text) => text.split('\n').reduce((all, line, n) => all + ['\n', '\r\n', '\r'][n % 3] + line),
  (text) => `\ufeff${text}`,
  (text) => `${text}\r\n\r\n`,
]

/** Returns files of posts: heads, odd bodies and line ends, each beside others. */
export function writtenDocuments(count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const head = HEADS[n % HEADS.length] ?? ''
    const [, odd = ''] = ODD_DOCUMENTS[n % ODD_DOCUMENTS.length] ?? []
    const body = n % 5 === 0 ? `${odd}\n${EDITED} of a line\nand more\n` : odd
    return (ENDS[Math.floor(n / 3) % ENDS.length] ?? String)(head + body)
  })
}
