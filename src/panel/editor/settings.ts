import { Facet } from '@codemirror/state'
import type { EditorOptions } from './options.ts'

/** The options of an editor and its way to speak to the author. */
export interface Settings extends EditorOptions {
  /** Tells the author of something that went wrong. */
  say(message: string): void
}

/** The settings of an editor, for its commands and extensions. */
export const settings = Facet.define<Settings, Settings>({
  combine: ([given]) => given ?? { mode: 'source', say: () => undefined },
})
