import type { Version } from '#core/document.ts'
import type { Row } from '../../resource.ts'
import type { FormFields } from '../forms/form-values.ts'

/** A text that was kept, for the form that it was typed into. */
export interface KeptText {
  /** The fields that the form shows in the place of the record's; undefined while it is only offered. */
  readonly used?: {
    /** The id of the form that they were typed into. */
    readonly form: string
    readonly sent: FormFields
    readonly base: Version | undefined
    readonly start: Row | undefined
  }
  /** A notice that offers it. */
  readonly notice?: object | undefined
  /** The state of the form. */
  readonly keeping?: object
}
