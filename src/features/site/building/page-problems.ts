import type { Problem } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import { cacheKey } from '#lib/cache-key.ts'
import type { Entry } from '../outline/entry.ts'
import type { Printed } from '../pages/page-renderer.ts'
import type { MissingPicture } from '../pictures/page-pictures.ts'
import type { Theme } from '../theme/theme.ts'

/** The problem that a template lacks a picture on a page. */
export function lacking({ href, template, line }: MissingPicture, page: string, theme: Theme): Problem {
  const file = (template === undefined ? undefined : theme.fileOf(template)) ?? 'templates/site'
  const message = `The picture "${href}" that this asks for is not there: the page ${page} is made without it.`
  const hint = 'Put it where that leads, or correct the field that names it.'
  return { file, ...(line !== undefined && { line }), message, hint, severity: 'warning' }
}

/** The problems with the pages of a build. */
export class PageProblems {
  readonly #theme: Theme
  readonly #missing = new Set<string>()
  readonly found: Problem[] = []

  constructor(theme: Theme) {
    this.#theme = theme
  }

  /** Takes note that the text of a record takes too long for a page. */
  slow({ key }: Entry): void {
    const message = 'The text takes too long to be made into a page: it is shown as it was written.'
    this.found.push({ file: keyText(key), message, hint: 'Divide it, or make it simpler.', severity: 'warning' })
  }

  /** Takes note of the pictures that the template of a page lacks. One that several pages lack is one problem. */
  lacking({ missing }: Pick<Printed, 'missing'>, page: string): void {
    for (const one of missing) {
      const name = cacheKey(one.template, one.line, one.href)
      if (this.#missing.has(name)) continue
      this.#missing.add(name)
      this.found.push(lacking(one, page, this.#theme))
    }
  }
}
