import { Text } from '@codemirror/state'
import t from 'tap'
import { isParseable } from '../../src/panel/editor/limits.ts'
import { cpuMs } from '../support/cpu.ts'

const LONG = 70_000

function of(text: string): Text {
  return Text.of(text.split('\n'))
}

t.test('a text is parsed unless one of its blocks would hold the page', async (t) => {
  const words = 'word '.repeat(LONG / 5)
  const lines = `${'word '.repeat(20)}\n`.repeat(LONG / 100)
  const good: Record<string, string> = {
    nothing: '',
    'many paragraphs': 'word word word\n\n'.repeat(LONG / 10),
    'a long list': '- word word\n'.repeat(LONG / 10),
    'a long list of numbers': '1. word word\n'.repeat(LONG / 10),
    'a long block of code': `\`\`\`\n${lines}\n\`\`\`\n`,
    'a long line of code': `~~~~\n${words}\n~~~\n${words}\n~~~~\n`,
    'quotes within each other': `${'> '.repeat(50)}a`,
  }
  const bad: Record<string, string> = {
    'a long line': words,
    'a long paragraph': lines,
    'a long item': `- ${words}`,
    'what follows code': `\`\`\`\na\n\`\`\`\n${lines}`,
    'deep quotes': `${'> '.repeat(51)}a`,
    'deeper quotes': `a\n\n${'>'.repeat(100_000)}`,
  }
  for (const [name, text] of Object.entries(good)) t.equal(isParseable(of(text)), true, name)
  for (const [name, text] of Object.entries(bad)) t.equal(isParseable(of(text)), false, name)
})

t.test('looking at a text takes no time to speak of', async (t) => {
  const text = of('word *word* `word`\n\n> - [ ] word\n'.repeat(32_000))
  const begun = cpuMs()
  isParseable(text)
  t.ok(cpuMs() - begun < 1000)
})
