import { outsideCode } from './outside-code.ts'

/** A form of comments: its beginning, with the `g` flag, and its end. */
interface Form {
  readonly begins: RegExp
  readonly ends: RegExp
  /** True where it is one in a block of code as well: a template runs before Markdown does. */
  readonly isInCode?: true
}

/** The forms of comments that tools have beside those of HTML, which no page shows. */
const FORMS = {
  hugo: [
    {
      begins: /\{\{[<%]\s{0,20}comment\b[^{}/]{0,200}[>%]\}\}/g,
      ends: /\{\{[<%]\s{0,20}\/\s{0,20}comment\s{0,20}[>%]\}\}/g,
      isInCode: true,
    },
  ],
  jekyll: [{ begins: /\{::comment\b[^{}]{0,200}(?<!\/)\}/g, ends: /\{:\/(?:comment)?\}/g }],
  eleventy: [
    { begins: /\{#(?=[\s-]|[^{}\n]{0,500}#\})/g, ends: /#\}/g },
    { begins: /\{\{~?!--/g, ends: /--~?\}\}/g },
  ],
  obsidian: [{ begins: /%%/g, ends: /%%/g }],
  mdx: [{ begins: /\{\s{0,20}\/\*/g, ends: /\*\/\s{0,20}\}/g }],
} satisfies Readonly<Record<string, readonly Form[]>>

/** A tool whose comments are known. */
export type Commented = keyof typeof FORMS

/** Returns a text of a tool without its comments, which its pages did not show. One without an end is text. Takes linear time. */
export function withoutComments(text: string, tool: Commented): string {
  return FORMS[tool].reduce(without, text)
}

function without(text: string, { begins, ends, isInCode }: Form): string {
  if (text.search(begins) < 0) return text
  // A sign that is another in it begins a comment.
  const marked = isInCode ? blanked(text, begins) : outsideCode(text, (piece) => blanked(piece, begins))
  let [made, from] = ['', 0]
  for (const { index, 0: mark } of text.matchAll(begins)) {
    if (index < from || marked[index] === text[index]) continue
    ends.lastIndex = index + mark.length
    if (!ends.test(text)) break
    made += text.slice(from, index)
    from = ends.lastIndex
  }
  return made + text.slice(from)
}

function blanked(text: string, pattern: RegExp): string {
  return text.replace(pattern, (mark) => '\0'.repeat(mark.length))
}
