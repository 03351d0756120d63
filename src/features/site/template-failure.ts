import type { Problem } from '../../core/document.ts'
import { Failure } from '../../core/errors.ts'

/** 500: a template of the site is broken or missing; `file`, `line` and `column` say where (from 1). */
export class TemplateFailure extends Failure {
  readonly status = 500
  readonly label = 'Server error'
  override readonly exit = 3
  readonly file: string | undefined
  readonly line: number | undefined
  readonly column: number | undefined
  constructor(
    message: string,
    at?: { file?: string | undefined; line?: number | undefined; column?: number | undefined },
    hint?: string,
  ) {
    super(message, hint)
    this.file = at?.file
    this.line = at?.line
    this.column = at?.column
  }

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
