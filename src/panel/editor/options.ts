import type { ChangeSet } from '@codemirror/state'

/** The ways a text can be edited: as it will read, as Markdown with coloured syntax, in the browser's own field. */
export type Mode = 'rich' | 'source' | 'plain'

/** A picture or file that is stored. */
export interface Upload {
  readonly url: string
  readonly alt: string
}

/** A record that a text can link to. */
export interface RecordLink {
  readonly title: string
  readonly url: string
}

/** Settings of an editor; what is left out, it goes without. */
export interface EditorOptions {
  readonly mode: Mode
  /** The address that links and pictures of the text are relative to; by default that of the page. */
  readonly base?: string
  /** Ids of the elements that name the editor; by default its labels. */
  readonly labelledBy?: string
  /** A `role="toolbar"` that the buttons are drawn into. */
  readonly toolbar?: HTMLElement
  /** An element that says how many words there are; by default one below the text. */
  readonly words?: HTMLElement
  /** Stores a file that was pasted or dropped. Rejects with a message for the author. */
  upload?(file: File): Promise<Upload>
  /** Finds the records whose title is like `query`, best first. */
  records?(query: string, signal: AbortSignal): Promise<readonly RecordLink[]>
  /** Called after each change of the text by its author. */
  onChange?(): void
}

/** Changes of a text in their compact form. */
export interface TextChanges {
  /** A `ChangeSet` of CodeMirror as JSON, from the text that the page came with; positions are UTF-16 units, line breaks LF. */
  readonly changes: ReturnType<ChangeSet['toJSON']>
  /** The hash (`textHash` of `lib/text/hash.ts`) of the text that they make. */
  readonly hash: string
}

/** A change of a text: `insert` takes the place of what is between two places of it, with line breaks as LF. */
export interface TextSplice {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** An editor that stands for a `<textarea>`. */
export interface EditorHandle {
  readonly mode: Mode
  /** Goes on in another mode. The text stays. */
  setMode(mode: Mode): void
  /** Returns what was changed since the page came. */
  changes(): TextChanges
  /** Returns the text, its line breaks as LF. */
  text(): string
  /**
   * Changes the text as others did: nothing that its author takes back, and the cursor stays where it is. False where it can't be
   * done, while a word is being composed.
   */
  take(splices: readonly TextSplice[]): boolean
  focus(): void
  /** Gives the text back to the `<textarea>` and removes the editor. */
  destroy(): void
}
