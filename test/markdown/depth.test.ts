import t from 'tap'
import { html } from './rendered.ts'

t.test('what is nested too deep is shown as it was written, and all that follows is there', async (t) => {
  for (const depth of [47, 48, 49, 60, 95, 96, 97, 120, 300]) {
    const nested: Readonly<Record<string, string>> = {
      list: Array.from({ length: depth }, (_, n) => `${'  '.repeat(n)}- word${n}`).join('\n'),
      'loose list': Array.from({ length: depth }, (_, n) => `${'  '.repeat(n)}- word${n}`).join('\n\n'),
      'list on a line': `${'- '.repeat(depth)}word`,
      quote: `${'> '.repeat(depth)}word\nword0`,
      'quotes and lists': `${'> - '.repeat(depth)}word\n\n${'1. > '.repeat(depth)}word0`,
    }
    for (const [name, text] of Object.entries(nested)) {
      const page = html(`${text}\n\nafter\n`)
      const words = (from: string) => [...from.matchAll(/word\d*/g)].map(String)
      t.strictSame(words(page), words(text), `${depth} × ${name}`)
      t.match(page, /after/)
    }
  }
})
