import type { MarkdownIt as Parser } from 'markdown-it'
import type { Words } from '../words.ts'

const BOX = /^\[([ xX])\][ \t]/

/** Adds task lists: an item that begins with `[ ]` or `[x]` gets a box that can't be changed. */
export function addTasks(md: Parser, words: Words): void {
  md.core.ruler.after('inline', 'tasks', ({ tokens, Token }) => {
    for (const [index, item] of tokens.entries()) {
      if (item.type !== 'list_item_open' || tokens[index + 1]?.type !== 'paragraph_open') continue
      const [first] = tokens[index + 2]?.children ?? []
      const mark = first?.type === 'text' ? BOX.exec(first.content) : null
      if (!first || !mark) continue
      first.content = first.content.slice(mark[0].length)
      item.attrJoin('class', 'task')
      const box = new Token('task', 'input', 0)
      box.meta = { isDone: mark[1] !== ' ' }
      tokens[index + 2]?.children?.unshift(box)
    }
  })
  const label = { true: md.utils.escapeHtml(words.done), false: md.utils.escapeHtml(words.open) }
  md.renderer.rules.task = (tokens, index) => {
    const isDone = tokens[index]?.meta?.isDone === true
    return `<input type="checkbox" disabled${isDone ? ' checked' : ''} aria-label="${label[`${isDone}`]}"> `
  }
}
