import { LiquidError } from 'liquidjs'
import { templateFault } from './template-bounds.ts'
import { TemplateTooLarge } from './template-size.ts'

/** A place in a template; `file` is the name it has among the texts. */
export interface TemplatePlace {
  readonly file: string
  readonly line?: number | undefined
  readonly column?: number | undefined
}

/** The reason why a template can't be rendered, with the template and the place in it. Its `cause` is what was thrown there. */
export class TemplateError extends Error {
  readonly place: TemplatePlace

  constructor(message: string, place: TemplatePlace, cause: Error) {
    super(message, { cause })
    this.place = place
  }
}

/** The error of LiquidJS in our words; `file` is the template that was to be rendered. Throws what is no error. */
export function templateError(error: unknown, file: string): TemplateError {
  if (!(error instanceof Error)) throw error
  const token = LiquidError.is(error) ? error.token : undefined
  const cause: unknown = LiquidError.is(error) ? error.originalError : error
  const words = templateFault(error.message.split(', file:', 1)[0] ?? '')
  const message = words.replace(/^ENOENT: Failed to lookup ("[^"]*") in .*$/, 'there is no template $1')
  const thrown = cause instanceof Error ? cause : error
  if (cause instanceof TemplateTooLarge) return new TemplateError(message, cause, thrown)
  const [line, column] = token?.getPosition?.() ?? []
  return new TemplateError(message, { file: token?.file ?? file, line, column }, thrown)
}

/** The template that could not be parsed; undefined for an error of another kind. */
export function unparsable(error: unknown): string | undefined {
  const isOfParsing = LiquidError.is(error) && (error.name === 'ParseError' || error.name === 'TokenizationError')
  return isOfParsing ? error.token.file : undefined
}
