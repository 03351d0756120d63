import fc from 'fast-check'
import t from 'tap'
import { withBody } from '#frontmatter/body.ts'
import { bodyText, type FrontMatter, readFrontMatter } from '#frontmatter/read.ts'

const MD = { extension: 'md' }

function edited(file: string, body: string): string {
  const bytes = Buffer.from(file)
  return withBody(bytes, readFrontMatter(bytes, MD) as FrontMatter, MD, body).toString()
}

t.test('lines that stay keep the ends they have', async (t) => {
  t.equal(edited('---\ntitle: T\n---\n\na\r\nb\nc\r\n', 'a\nB\nc\n'), '---\ntitle: T\n---\n\na\r\nB\nc\r\n')
  t.equal(edited('---\r\ntitle: T\r\n---\r\na\r\nb\r\n', 'a\nnew\nb'), '---\r\ntitle: T\r\n---\r\na\r\nnew\r\nb')
  t.equal(edited('a\nb\r\nc\n', 'a\nb\nc\nd\n'), 'a\nb\r\nc\nd\n')
})

t.test('a body is as it was sent, with the head untouched, whatever the ends are', async (t) => {
  const end = fc.constantFrom('\n', '\r\n', '\r')
  const line = fc.tuple(fc.constantFrom('', 'a', 'b', '# c', ' d '), end)
  const body = fc.array(line, { maxLength: 12 }).map((lines) => lines.flat().join(''))
  const heads = fc.tuple(end, fc.boolean()).map(([eol, isApart]) => `---${eol}title: T${eol}---${eol}${isApart ? eol : ''}`)
  fc.assert(
    fc.property(heads, body, body, (head, before, after) => {
      const bytes = Buffer.from(head + before)
      const old = readFrontMatter(bytes, MD) as FrontMatter
      const text = after.replaceAll(/\r\n?/g, '\n')
      const made = withBody(bytes, old, MD, after)
      const again = readFrontMatter(made, MD) as FrontMatter
      if (bodyText(made, again) !== text) throw new Error(JSON.stringify([head + before, after, made.toString()]))
      return made.toString().startsWith(`${head.trimEnd()}`) && again.data.title === 'T'
    }),
    { numRuns: 3000 },
  )
  t.pass('held')
})
