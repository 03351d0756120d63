import type { Problem } from '#core/document.ts'
import { cacheKey } from '#lib/cache-key.ts'
import { compareText } from '#lib/text/compare.ts'
import { counted } from '#lib/text/counted.ts'
import type { TemplateFailure } from '../theme/template-failure.ts'

interface Failed {
  readonly failure: TemplateFailure
  /** The page that is named: of several the first by name, since they fail in any order. */
  name: string
  pages: number
}

/** The pages that templates fail with: one problem for each fault, however many pages have it. */
export class FailedPages {
  readonly #failed = new Map<string, Failed>()

  /** Takes note of a page; `place` is where it was to be, for one whose record and address are not known. */
  add(failure: TemplateFailure, place: string): void {
    const key = cacheKey(failure.file, failure.line, failure.column, failure.message)
    const known = this.#failed.get(key)
    const name = failure.rendering?.record ?? failure.rendering?.path ?? place
    if (!known) {
      this.#failed.set(key, { failure, name, pages: 1 })
      return
    }
    known.pages++
    if (name < known.name) known.name = name
  }

  /** The problems, by their places. */
  get problems(): Problem[] {
    return [...this.#failed.values()].sort(byPlace).map(({ failure, name, pages }) => {
      const others = pages === 1 ? `The page of ${name} is` : `${counted(pages, 'page')}, as that of ${name}, are`
      return { ...failure.problem, message: `${failure.message} ${others} not made.` }
    })
  }
}

function byPlace({ failure: a }: Failed, { failure: b }: Failed): number {
  const files = compareText(a.file ?? '', b.file ?? '')
  return files || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0) || compareText(a.message, b.message)
}
