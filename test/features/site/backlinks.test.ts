import t from 'tap'
import { localAccess } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const { author } = localAccess({ name: 'Test', email: 'test@example.org' })
const types = plainTypes({ notes: { wikilinks: true } })
const note = (title: string, body: string, more = '') => `---\ntitle: ${title}\n${more}---\n${body}\n`

t.test('a page knows the live records that link to it or take it in', (t) => {
  const files: Record<string, string> = {
    'content/index.md': note('Home', '[a](notes/a.md)'),
    'content/notes/a.md': note('A', '[me](#top) [[a]] ![](b.png)', 'aliases: [/old]\n'),
    'content/notes/file.md': note('File', '[a](a.md#x) [a](a.md)', 'date: 2026-01-05\n'),
    'content/notes/name.md': note('Name', '[[A|text]]', 'date: 2026-01-04\n'),
    'content/notes/embed.md': note('Embed', '![[a]]', 'date: 2026-01-03\n'),
    'content/notes/address.md': note('Address', '<a href="/notes/a/">a</a>', 'date: 2026-01-02\n'),
    'content/notes/whole.md': note('Whole', 'https://example.org/notes/a?x=1', 'date: 2026-01-01\n'),
    'content/posts/old.md': note('Old', '[a](/old)', 'date: 2025-01-01\n'),
    'content/posts/code.md': note('Code', '`[a](/notes/a)` <!-- [a](/notes/a) --> [x](https://other.example/notes/a)'),
    'content/posts/brackets.md': note('Brackets', '[[a]]'),
    'content/posts/draft.md': note('Draft', '[a](/notes/a)', 'draft: true\n'),
    'content/posts/unlisted.md': note('Unlisted', '[a](/notes/a)', 'unlisted: true\n'),
  }
  return eachStore(t, { files, types }, async (t, opened) => {
    const record = '{% for one in record.backlinks %}{{ one.title }} {{ one.url }},{% endfor %}'
    const { html } = publicSite(t, opened, false, { files: { 'templates/site/record.liquid': record } })
    const all =
      'File /notes/file,Name /notes/name,Embed /notes/embed,Address /notes/address,Whole /notes/whole,Old /posts/old,Home /,'
    t.equal(await html('/notes/a'), all)
    t.equal(await html('/notes/name'), '')
    await opened.store.write(
      [{ key: keyOf('posts', 'draft'), put: { set: { status: 'published', published_at: '2020-01-01' } } }],
      author,
    )
    await opened.store.write([{ key: keyOf('notes', 'file'), put: { body: 'No link.' } }], author)
    t.equal(await html('/notes/a'), `${all.replace('File /notes/file,', '').replace('Home', 'Draft /posts/draft,Home')}`)
  })
})

t.test('at most a hundred are named', (t) => {
  const files: Record<string, string> = { 'content/posts/a.md': note('A', '') }
  for (let n = 0; n < 120; n++) files[`content/posts/l${n}.md`] = note(`L${n}`, '[a](a.md) '.repeat(3))
  return eachStore(t, { files }, async (t, opened) => {
    const { html } = publicSite(t, opened, false, { files: { 'templates/site/record.liquid': '{{ record.backlinks.size }}' } })
    t.equal(await html('/posts/a'), '100')
  })
})
