import type { EditorState } from '@codemirror/state'
import type { Command, KeyBinding } from '@codemirror/view'
import { toggleFocusMode } from './focus-mode.ts'
import { isWithin, setHeading, toggleInline, toggleLines, toggleTask, wrapInFence } from './formatting.ts'
import type { IconName } from './icons.ts'
import { insertLink, insertPicture, insertRule, insertTable } from './inserting.ts'

/** A command of an author: a button, a shortcut, an entry of the slash menu, or several of these. */
export interface EditorCommand {
  readonly name: string
  readonly run: Command
  /** As CodeMirror writes it: `Mod` is Control, on a Mac Command. */
  readonly key?: string
  /** The icon of its button; without one it has none. Groups of buttons are counted. */
  readonly button?: readonly [icon: IconName, group: number]
  /** Other words that find it in the slash menu; without them it is not there. */
  readonly words?: string
  isActive?(state: EditorState): boolean
}

function within(name: string | RegExp): (state: EditorState) => boolean {
  return (state) => isWithin(state, name)
}

function headingCommand(level: number, more: Partial<EditorCommand> = {}): EditorCommand {
  return {
    name: `Heading ${level}`,
    run: setHeading(level),
    key: `Mod-Alt-${level}`,
    words: `h${level} title section`,
    isActive: within(new RegExp(`^(?:ATX|Setext)Heading${level}$`)),
    ...more,
  }
}

/** All commands, in the order of buttons and menu. */
export const COMMANDS: readonly EditorCommand[] = [
  headingCommand(2, { button: ['heading', 0] }),
  headingCommand(3),
  headingCommand(4),
  { name: 'Paragraph', run: setHeading(0), key: 'Mod-Alt-0', words: 'text plain' },
  {
    name: 'Bold',
    run: toggleInline('**', 'StrongEmphasis'),
    key: 'Mod-b',
    button: ['bold', 0],
    isActive: within('StrongEmphasis'),
  },
  { name: 'Italic', run: toggleInline('*', 'Emphasis'), key: 'Mod-i', button: ['italic', 0], isActive: within('Emphasis') },
  {
    name: 'Strikethrough',
    run: toggleInline('~~', 'Strikethrough'),
    key: 'Mod-Shift-x',
    isActive: within('Strikethrough'),
  },
  {
    name: 'Link',
    run: insertLink,
    key: 'Mod-Shift-k',
    button: ['link', 0],
    words: 'url address record',
    isActive: within('Link'),
  },
  {
    name: 'Bulleted list',
    run: toggleLines('bullets'),
    key: 'Mod-Shift-8',
    button: ['list', 1],
    words: 'ul points',
    isActive: within('BulletList'),
  },
  {
    name: 'Numbered list',
    run: toggleLines('numbers'),
    key: 'Mod-Shift-7',
    button: ['numbers', 1],
    words: 'ol ordered',
    isActive: within('OrderedList'),
  },
  { name: 'Task list', run: toggleLines('tasks'), key: 'Mod-Shift-9', words: 'todo checkbox', isActive: within('Task') },
  {
    name: 'Quote',
    run: toggleLines('quote'),
    key: 'Mod-Shift-.',
    button: ['quote', 1],
    words: 'blockquote citation',
    isActive: within('Blockquote'),
  },
  { name: 'Code', run: toggleInline('`', 'InlineCode'), key: 'Mod-e', button: ['code', 1], isActive: within(/Code$/) },
  { name: 'Code block', run: wrapInFence, words: 'fence pre source', isActive: within('FencedCode') },
  { name: 'Table', run: insertTable, button: ['table', 1], words: 'grid columns rows', isActive: within('Table') },
  { name: 'Picture', run: insertPicture, button: ['picture', 1], words: 'image photo upload' },
  { name: 'Divider', run: insertRule, words: 'hr horizontal rule line' },
  { name: 'Tick a task', run: toggleTask, key: 'Mod-Enter' },
  { name: 'Focus', run: toggleFocusMode, key: 'Mod-Shift-f', button: ['expand', 2] },
]

/** The shortcuts of all commands. */
export const commandKeys: readonly KeyBinding[] = COMMANDS.flatMap(({ key, run }) => (key === undefined ? [] : [{ key, run }]))

const isMac = /Mac|iP(?:hone|ad|od)/.test(navigator.platform)

/** Writes a shortcut as a person reads it. */
export function keyLabel(key: string): string {
  const names: Readonly<Record<string, string>> = isMac ? { Mod: '⌘', Shift: '⇧', Alt: '⌥' } : { Mod: 'Ctrl' }
  return key
    .split('-')
    .map((part) => names[part] ?? (part.length === 1 ? part.toUpperCase() : part))
    .join(isMac ? '' : ' ')
}
