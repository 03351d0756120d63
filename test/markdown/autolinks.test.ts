import fc from 'fast-check'
import t from 'tap'
import { autolinks } from '#markdown/autolinks.ts'
import { cpuMs } from '#support/cpu.ts'
import { html } from './rendered.ts'

const a = (href: string, text: string) => `<a href="${href}">${text}</a>`

// The examples of GitHub's specification (6.9), and what stands beside them.
const LINKS: Readonly<Record<string, string>> = {
  'www.commonmark.org': a('http://www.commonmark.org', 'www.commonmark.org'),
  'Visit www.commonmark.org/help for more.': `Visit ${a('http://www.commonmark.org/help', 'www.commonmark.org/help')} for more.`,
  'Visit www.commonmark.org.': `Visit ${a('http://www.commonmark.org', 'www.commonmark.org')}.`,
  'Visit www.commonmark.org/a.b.': `Visit ${a('http://www.commonmark.org/a.b', 'www.commonmark.org/a.b')}.`,
  'www.google.com/search?q=Markup+(business)': a(
    'http://www.google.com/search?q=Markup+(business)',
    'www.google.com/search?q=Markup+(business)',
  ),
  'www.google.com/search?q=Markup+(business)))': `${a('http://www.google.com/search?q=Markup+(business)', 'www.google.com/search?q=Markup+(business)')}))`,
  '(www.google.com/search?q=Markup+(business))': `(${a('http://www.google.com/search?q=Markup+(business)', 'www.google.com/search?q=Markup+(business)')})`,
  'foo@bar.baz': a('mailto:foo@bar.baz', 'foo@bar.baz'),
  'mail ada.b+c@mail.example.org, now': `mail ${a('mailto:ada.b+c@mail.example.org', 'ada.b+c@mail.example.org')}, now`,
  'a.b-c_d@a.b.': `${a('mailto:a.b-c_d@a.b', 'a.b-c_d@a.b')}.`,
  'https://www.example.org and x@y.org': `${a('https://www.example.org', 'https://www.example.org')} and ${a('mailto:x@y.org', 'x@y.org')}`,
  'mailto:x@y.org': a('mailto:x@y.org', 'mailto:x@y.org'),
  '[www.x.org](/a) and [a@b.org](/c)': `${a('/a', 'www.x.org')} and ${a('/c', 'a@b.org')}`,
}
const NONE = [
  'README.md',
  'commonmark.org',
  'a@b',
  'a.b-c_d@a.b-',
  'a.b-c_d@a.b_',
  '@ada',
  'ada @ b.org',
  'xwww.example.org',
  'www.',
  'www.example',
  'www.a.b_c.d_e',
]

t.test('addresses of GitHub become links', async (t) => {
  for (const [text, made] of Object.entries(LINKS)) t.equal(html(text), `<p>${made}</p>\n`, text)
  for (const text of NONE) t.notMatch(html(text), '<a', text)
  t.notMatch(html('`a@b.org www.x.org`'), '<a')
})

t.test('links of any text are parts of it, in order', async () => {
  const part = fc.constantFrom(
    'www.',
    'a',
    '@',
    '.',
    'x.org',
    ' ',
    '(',
    ')',
    '&amp;',
    ';',
    '_',
    '-',
    '/',
    'é',
    'www.x.org',
    'a@b.de',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      const text = parts.join('')
      let end = 0
      for (const link of autolinks(text)) {
        if (link.index < end || link.lastIndex <= link.index || text.slice(link.index, link.lastIndex) !== link.raw) return false
        end = link.lastIndex
      }
      return true
    }),
  )
})

t.test('long texts take time with their length', async (t) => {
  for (const text of [
    'a'.repeat(200_000),
    'a@'.repeat(100_000),
    'www.'.repeat(50_000),
    'www.a.b/('.repeat(20_000),
    `www.a.b/${')'.repeat(1_990)} `.repeat(100),
    'www.a.b/)&lt;'.repeat(15_000),
  ]) {
    const begin = cpuMs()
    autolinks(text)
    t.ok(cpuMs() - begin < 2_000, text.slice(0, 10))
  }
})
