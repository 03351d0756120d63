import type { Problem } from '#core/document.ts'
import { type Placed, PlacedFailure } from '#lib/errors.ts'

/** The page that a template was rendered for. */
export interface Rendering {
  /** Its address on the site, below the site's own. */
  readonly path: string
  /** Its record, as the text of a key: `posts/hello`; undefined where it has none. */
  readonly record?: string | undefined
  /** The data that the template was given. */
  readonly given?: object
}

/** 500: a template of the site is broken or missing. */
export class TemplateFailure extends PlacedFailure {
  readonly status = 500
  readonly label = 'Server error'
  override readonly exit = 3
  /** The page that it was met with, as far as that is known. */
  readonly rendering: Rendering | undefined

  constructor(message: string, at?: Placed, hint?: string, rendering?: Rendering) {
    super(message, at, hint)
    this.rendering = rendering
  }

  /** The same failure as it was met with a page; what it knows of one already stays. */
  during(rendering: Rendering): TemplateFailure {
    const { message, file, line, column, hint } = this
    return new TemplateFailure(message, { file, line, column }, hint, { ...rendering, ...this.rendering })
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

/** Resolves as the work for a page does; a template that fails is said to have failed with that page. */
export async function during<T>(rendering: Rendering, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof TemplateFailure ? error.during(rendering) : error
  }
}
