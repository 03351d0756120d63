/** The ways in which a form shows a field. `kept` is a value that it can't show: as JSON, without an input; it stays as it is. */
export type FieldKind =
  | 'text'
  | 'textarea'
  | 'markdown'
  | 'number'
  | 'checkbox'
  | 'date'
  | 'datetime'
  | 'select'
  | 'choices'
  | 'list'
  | 'object'
  | 'reference'
  | 'media'
  | 'slug'
  | 'email'
  | 'url'
  | 'color'
  | 'json'
  | 'kept'

/** One of the values that a select, choices or a reference offers. */
export interface FieldOption {
  readonly value: string
  readonly label: string
  readonly isSelected: boolean
}

/** A field as a form shows it. */
export interface FieldView {
  readonly kind: FieldKind
  /** The name of its input: `gallery[0][alt]`, `tags[]` of several values. */
  readonly name: string
  readonly id: string
  readonly label: string
  readonly help?: string
  readonly error?: string
  readonly required: boolean
  readonly isReadOnly: boolean
  /** The text in the input: line ends are LF; `true` or nothing of a checkbox. */
  readonly value: string
  /** A hidden input to come before all others of the field: it says that it was in the form, and which item of a list it is. */
  readonly hidden?: { readonly name: string; readonly value: string }
  readonly options?: readonly FieldOption[]
  /** The items of a list. */
  readonly items?: readonly FieldView[]
  /** An item to be added to a list: the first `__n__` in its names and ids stands for its number. */
  readonly blank?: FieldView
  /** The fields of an object. */
  readonly fields?: readonly FieldView[]
  /** The IANA zone that a datetime is shown in. */
  readonly zone?: string
  /** Things that a reference may lead to, by title. */
  readonly offered?: readonly { readonly value: string; readonly label: string }[]
  /** The address that answers scripts with things that a reference may lead to. */
  readonly search?: string
  /** The page that makes something that a reference may lead to. */
  readonly create?: { readonly label: string; readonly url: string }
  /** A sentence that says what a reference may lead to, to be shown where it leads to none of it. */
  readonly there?: string
  /** The kinds of files that a media takes, joined with commas. */
  readonly accept?: string
  /** The media to choose from: the page of all, and the picture of the one that is chosen. */
  readonly media?: { readonly url: string; readonly mayUpload: boolean; readonly picture?: string | undefined }
  readonly max?: number
  readonly pattern?: string
}
