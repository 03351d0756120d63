import t from 'tap'
import { editSource } from '#core/format/edit.ts'
import { EditThread } from '#core/format/edit-thread.ts'
import { documentOf, readDocument } from '#core/format/read.ts'
import type { Put } from '#core/store.ts'
import { Conflict, InvalidInput, Unreadable } from '#lib/errors.ts'
import { longTest } from '#support/long.ts'
import { eachStore } from '#support/stores.ts'
import { key, md, shape } from './shape.ts'

/** Front matter of so many tags, and a body. */
const tagged = (tags: number) => `---\ntitle: One\ntags:\n${'  - a tag # mine\n'.repeat(tags)}---\n\nBody.\n`
const LARGE = Buffer.from(tagged(20_000))
const yaml = { extension: 'yaml' }

function thread(t: { teardown(work: () => Promise<void>): unknown }, limit?: number): EditThread {
  const editing = new EditThread(limit)
  t.teardown(() => editing.close())
  return editing
}

longTest('small edits are made at once, large ones in a thread, with the same bytes', async (t) => {
  const editing = thread(t)
  const large = 'word '.repeat(10_000)
  const toml = Buffer.from(`+++\ntitle = "One"\nlist = [\n${'  "a",\n'.repeat(6_000)}]\n+++\n\nBody.\n`)
  const all: [what: string, isLarge: boolean, base: Buffer | undefined, put: Put, form?: { extension: string }][] = [
    ['a small file', false, Buffer.from(tagged(3)), { set: { title: 'Two' } }],
    ['a new file', false, undefined, { set: { title: 'Two' }, body: 'Text.' }],
    ['a small front matter over a long body', false, Buffer.from(tagged(3) + large), { set: { title: 'Two' } }],
    ['a large front matter', true, LARGE, { set: { title: 'Two' }, body: 'Other.' }],
    ['that of a revision', true, Buffer.from(tagged(3)), { source: LARGE, set: { title: 'Two' } }],
    ['behind a mark of the byte order', true, Buffer.concat([Buffer.from('\ufeff'), LARGE]), { set: { title: 'Two' } }],
    ['in TOML', true, toml, { set: { title: 'Two' } }],
    ['data', true, Buffer.from(`title: One\nlist:\n${'- a\n'.repeat(20_000)}`), { set: { title: 'Two' } }, yaml],
    ['a large value', true, Buffer.from(tagged(3)), { set: { note: large } }],
    ['a body of a MiB', true, Buffer.from(tagged(3)), { body: large.repeat(20) }],
  ]
  for (const [what, isLarge, base, put, form = md] of all) {
    const made = editing.edit(shape, base, form, put, key, 'content/posts/a.md')
    t.equal(made instanceof Promise, isLarge, what)
    const { bytes, head, body } = await made
    t.ok(bytes.equals(editSource(shape, base, form, put, key)), `${what}: the same bytes`)
    const document = readDocument(key, shape, bytes, form, 'content/posts/a.md')
    t.strictSame(documentOf(head, bytes, form, body), document, `${what}: as the document they are`)
  }
})

t.test('a thread refuses as it is refused at once', async (t) => {
  const editing = thread(t)
  const refusal = async (base: Buffer, put: Put) => {
    const error = await Promise.resolve(editing.edit(shape, base, md, put, key, 'a')).catch((error: unknown) => error)
    const atOnce = new Promise((resolve) => resolve(editSource(shape, base, md, put, key)))
    t.match(error, await atOnce.catch((same: Error) => ({ ...same, message: same.message })), 'the same')
    return error
  }
  const change = { set: { title: 'Two' } }
  const mixed = await refusal(Buffer.from(tagged(20_000).replace('title: One\n', 'title: One\rx: 1\n')), change)
  t.ok(mixed instanceof Conflict && mixed.hint)
  const broken = await refusal(Buffer.from(tagged(20_000).replace('title: One', 'title: "One')), change)
  t.ok(broken instanceof Unreadable && broken.line && broken.hint)
  t.ok((await refusal(LARGE, { body: 'a\0' })) instanceof InvalidInput)
  t.ok(await editing.edit(shape, LARGE, md, change, key, 'a'), 'and goes on')
})

t.test('an edit that takes too long is refused, and others go on', async (t) => {
  const editing = thread(t, 1)
  // Takes the thread many times as long as anything else here.
  const huge = Buffer.from(tagged(100_000))
  await t.rejects(async () => editing.edit(shape, huge, md, { set: { title: 'Two' } }, key, 'a'), {
    status: 409,
    message: 'The file takes too long to be changed.',
  })
  t.ok(await editing.edit(shape, Buffer.from(tagged(1)), md, { set: { title: 'Two' } }, key, 'a'))
})

longTest('a store changes a record with a large front matter, and says of a batch which is refused', (t) =>
  eachStore(t, { files: { 'content/posts/2026/hello-world.md': LARGE.toString() } }, async (t, { store }) => {
    const by = { name: 'Author', email: 'author@example.org' }
    const [made] = await store.write([{ key, put: { set: { title: 'Two' } } }], by)
    t.equal(made?.fields.title, 'Two')
    t.equal((await store.get(key))?.source?.toString(), LARGE.toString().replace('title: One', 'title: Two'))
    const put = { set: { title: 'Three' } }
    const other = { ...key, id: 'other' }
    await t.rejects(
      store.write(
        [
          { key, put },
          { key: other, put, from: key, expects: 'absent' },
        ],
        by,
      ),
      { message: /^posts\/other: / },
    )
    t.equal((await store.get(key))?.fields.title, 'Two', 'and nothing is done')
  }),
)
