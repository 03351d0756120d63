import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { escapeXml } from '../feeds/xml.ts'
import type { TemplateFailure } from '../theme/template-failure.ts'
import { describeData } from './given-data.ts'

/** Lines of a template that are shown before and after that of a fault, and the most characters of each. */
const AROUND = 3
const LONGEST = 200

/** The page that says that a page can not be shown, and nothing of the inside. */
export function plainFailurePage(): string {
  return page('<p>This page can not be shown just now.</p>')
}

/**
 * The page that says what is wrong with a template: where, for which record, and what it was given. For who works on the site
 * alone: it quotes the template and the record. `root` is the site's.
 */
export function failurePage(failure: TemplateFailure, root: string): string {
  const { rendering, hint, file, line, column } = failure
  const at = [file, line, column].filter((part) => part !== undefined).join(':')
  const given = rendering?.given ? describeData(rendering.given) : []
  const of = rendering && [rendering.record, rendering.path].filter((part) => part !== undefined).join(' at ')
  return page(
    [
      `<p>${escapeXml(failure.message)}</p>`,
      at && `<p><code>${escapeXml(at)}</code></p>`,
      hint && `<p>${escapeXml(hint)}</p>`,
      block('The template', linesAround(root, file, line)),
      of && `<p>It was rendered for <code>${escapeXml(of)}</code>.</p>`,
      block('The data it was given', given),
    ]
      .filter((part) => part)
      .join('\n'),
  )
}

function block(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `<h2>${title}</h2>\n<pre>${escapeXml(lines.join('\n'))}</pre>`
}

/** The lines of a template around the one of a fault; of files of data nothing is quoted. */
function linesAround(root: string, file: string | undefined, line: number | undefined): string[] {
  if (line === undefined || !file?.endsWith('.liquid')) return []
  const first = Math.max(1, line - AROUND)
  return textOf(resolve(root, file))
    .split('\n')
    .slice(first - 1, line + AROUND)
    .map((text, n) => `${first + n === line ? '>' : ' '} ${String(first + n).padStart(4)}  ${text.slice(0, LONGEST)}`)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // It was mended or removed meanwhile: the place is said all the same.
    return ''
  }
}

function page(words: string): string {
  const head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Server error</title>'
  return `<!doctype html>\n<html lang="en"><head>${head}</head><body>\n<h1>Server error</h1>\n${words}\n</body></html>\n`
}
