import { Markdown } from '#markdown/markdown.ts'
import type { Syntax } from '#markdown/parser.ts'

const markdown = new Markdown({ reserved: ['main'] })

/** The HTML of a text whose links stay as they are. */
export function html(text: string, syntax: Syntax = {}): string {
  return markdown.render(text, { title: '', syntax, resolve: (href) => href }).html
}

/** The ids of the headings of a text. */
export function ids(text: string): string[] {
  return markdown.render(text, { title: '', resolve: (href) => href }).headings.map(({ id }) => id)
}
