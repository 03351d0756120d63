import type { Problem } from '#core/document.ts'
import { PlacedFailure } from '#lib/errors.ts'

/** 500: a template of the site is broken or missing. */
export class TemplateFailure extends PlacedFailure {
  readonly status = 500
  readonly label = 'Server error'
  override readonly exit = 3

  /** The same as a problem of the site; without a file it is one of its templates as a whole. */
  get problem(): Problem {
    const { line, column, hint, message } = this
    return {
      file: this.file ?? 'templates/site',
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
      ...(hint === undefined ? {} : { hint }),
      message,
      severity: 'error',
    }
  }
}
