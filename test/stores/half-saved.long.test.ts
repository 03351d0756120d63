import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { Unavailable } from '#lib/errors.ts'
import { Tree } from '#stores/files/disk/tree.ts'
import { FileRegistry } from '#stores/files/registry/file-registry.ts'
import { StepFiles } from '#stores/files/writing/step-files.ts'
import { UnderSave } from '#stores/files/writing/under-save.ts'
import { TestApp } from '#support/app.ts'
import { git, statusOf } from '#support/git.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { openFiles } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const ADA = { name: 'Ada', email: 'ada@example.org' }
const A = keyOf('posts', 'a')
const FILE = 'content/posts/a.md'
const post = (title: string, text = 'Text.\n'.repeat(40)) => `---\ntitle: ${title}\ndraft: true\n---\n${text}`

/** Saves a file as some editors do: emptied first, then in two pieces with a pause between them. */
function saveInPieces(site: TestSite, text: string, pauseMs: number): Promise<void> {
  const file = openSync(site.path(FILE), 'w')
  writeSync(file, text.slice(0, text.length / 2))
  return new Promise((resolve) => {
    setTimeout(() => {
      writeSync(file, text.slice(text.length / 2))
      closeSync(file)
      resolve()
    }, pauseMs)
  })
}

async function opened(t: Test, history: boolean) {
  const found = await openFiles({ files: { [FILE]: post('Old') }, history, watch: true })
  // A watch alone keeps no process alive.
  const alive = setInterval(() => undefined, 1000)
  t.teardown(async () => {
    clearInterval(alive)
    await found.close()
  })
  return found
}

for (const history of [false, true]) {
  const where = history ? 'in a repository' : 'in plain files'

  t.test(`a write beside an editor that saves in pieces keeps all of its text, ${where}`, async (t) => {
    const { site, store } = await opened(t, history)
    const text = post('Hers', 'Her text.\n'.repeat(60))
    const saved = saveInPieces(site, text, 50)
    const [document] = await store.write([{ key: A, put: { set: { mood: 'good' } } }], ADA)
    await saved
    const both = text.replace('draft: true\n', 'draft: true\nmood: good\n')
    t.equal(readFileSync(site.path(FILE), 'utf8'), both)
    t.match(document?.fields, { title: 'Hers', mood: 'good' })
    if (!history) return
    t.equal(`${git(site.root, ['show', `HEAD:${FILE}`])}\n`, both)
    t.same(statusOf(site), [])
  })

  t.test(`a move and a removal wait for it as well, ${where}`, async (t) => {
    const { site, store } = await opened(t, history)
    const text = post('Hers', 'Her text.\n'.repeat(60))
    const saved = saveInPieces(site, text, 50)
    await store.write([{ key: keyOf('posts', 'b'), put: {}, from: A }], ADA)
    await saved
    t.equal(readFileSync(site.path('content/posts/b.md'), 'utf8'), text)
  })

  t.test(`one who saves again and again is not waited for for ever, ${where}`, async (t) => {
    const { site, store } = await opened(t, history)
    let saves = 0
    const saving = setInterval(() => writeFileSync(site.path(FILE), post(`Hers ${++saves}`)), 40)
    t.teardown(() => clearInterval(saving))
    const answer = await store.write([{ key: A, put: { set: { mood: 'good' } } }], ADA).catch((error: unknown) => error)
    t.ok(saves > 4, 'it was waited for at first')
    t.ok(answer instanceof Unavailable || Array.isArray(answer))
  })
}

t.test('a request for a record that is saved all the time is answered, and holds up no other', async (t) => {
  const opened = await openFiles({
    files: { [FILE]: post('Old'), 'content/posts/quiet.md': post('Quiet') },
    history: true,
    watch: true,
  })
  t.teardown(() => opened.close())
  const app = new TestApp(opened)
  await app.token()
  const saving = setInterval(() => writeFileSync(opened.site.path(FILE), post(`Hers ${performance.now()}`)), 20)
  t.teardown(() => clearInterval(saving))
  const answered: string[] = []
  const put = async (id: string) => {
    const { status } = await app.ask(`PUT /api/cms/posts/${id}`, { body: { mood: 'good' } })
    answered.push(id)
    return status
  }
  const hot = put('a')
  t.equal(await put('quiet'), 200)
  t.same(answered, ['quiet'])
  t.ok([200, 503].includes(await hot))
})

t.test('what this process wrote, and what was not touched a moment ago, is not waited for', async (t) => {
  const site = makeSite({ [FILE]: post('Old') })
  t.teardown(site.remove)
  const tree = new Tree(site.root, 'content', '.cms')
  const registry = new FileRegistry(tree, plainTypes(), () => undefined)
  registry.walk('content')
  const saves = new UnderSave({ tree, registry })
  const rest = (until = Number.POSITIVE_INFINITY) => saves.rest([{ key: A, remove: true }], until)
  t.ok(rest() > 0, 'an author made it just now')
  const before = readFileSync(site.path(FILE))
  const step = { path: FILE, key: A, before, stamp: tree.stamp(FILE), after: Buffer.from(post('New')) }
  const files = await StepFiles.prepare(tree, registry, [step])
  t.ok(await files.put())
  t.equal(rest(), 0)
  site.write(FILE, post('Hers'))
  registry.lookAt(FILE)
  t.ok(rest() > 0, 'saved after it was written')
  t.equal(saves.rest([{ key: keyOf('posts', 'other'), put: {} }], Number.POSITIVE_INFINITY), 0, 'not there')
  t.equal(rest(0), 0, 'waited for in vain')
  t.equal(rest(), 0, 'and not again for a while')
})
