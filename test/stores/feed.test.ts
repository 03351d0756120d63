import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { type Key, keyOf, keyText } from '#core/key.ts'
import type { Change, Cursor } from '#core/store.ts'
import { FilesStore } from '#stores/files/store.ts'
import { TestClock } from '#support/clock.ts'
import { makeRepository } from '#support/git.ts'
import { longTest } from '#support/long.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { filesOptions } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'
import { fixture, plainEnvironment } from './wreckage.ts'

/** Number of stories: `npm run test:feed -- 3000` for more. */
const STORIES = Number(process.argv[2] ?? 60)

const ada = { name: 'Ada', email: 'ada@example.org' }
const key = (id: string) => keyOf('posts', id)
const put = (id: string, title: string): Change => ({ key: key(id), put: { set: { title } } })

/** A store that waits for no editor: a story edits by hand all the time. */
function open(site: TestSite, content = 'content'): Promise<FilesStore> {
  return FilesStore.open({ ...filesOptions(site, plainTypes(), new TestClock()), content, watch: true, stillMs: 0 })
}

async function opened(t: Test, site: TestSite, content?: string): Promise<FilesStore> {
  const store = await open(site, content)
  t.teardown(() => store.close())
  return store
}

function scratch(t: Test, files: Record<string, string> = {}): TestSite {
  const site = makeSite(files)
  t.teardown(() => site.remove())
  return site
}

/** Returns the content of a store: the versions by key. */
async function held(store: FilesStore): Promise<Map<string, string>> {
  const versions = new Map<string, string>()
  for (const kind of await store.kinds()) {
    for (const head of (await store.heads(kind, {})).items) versions.set(keyText(head.key), head.version)
  }
  return versions
}

/** One who keeps a copy of all documents from the feed alone, over restarts of the store. */
class Consumer {
  cursor: Cursor | undefined
  resets = 0
  told: string[] = []
  copy = new Map<string, string>()

  /** Goes on by one part of the feed; false where there was nothing. */
  async step(store: FilesStore, limit = 100): Promise<boolean> {
    const feed = await store.changes(this.cursor, limit)
    this.cursor = feed.next
    if (feed.reset) {
      this.resets++
      this.copy = await held(store)
    }
    for (const { key, removed } of feed.changes) {
      this.told.push(`${removed ? '-' : '+'}${key.id}`)
      await this.peek(store, key)
    }
    return feed.reset || feed.changes.length > 0
  }

  /** Takes over what a document is without having been told of it. */
  async peek(store: FilesStore, key: Key): Promise<void> {
    const document = await store.get(key)
    if (document && document.problem?.severity !== 'error') this.copy.set(keyText(key), document.version)
    else this.copy.delete(keyText(key))
  }

  async drain(store: FilesStore): Promise<void> {
    while (await this.step(store));
  }
}

type Step = { do: string; id: string; text: string }

const STEPS = fc.array(
  fc.record({
    do: fc.constantFrom('write', 'write', 'remove', 'edit', 'edit', 'delete', 'form', 'restart', 'crash', 'step', 'peek', 'tear'),
    id: fc.constantFrom('a', 'b', 'c~d', 'E'),
    text: fc.constantFrom('x', 'y', 'z'),
  }),
  { minLength: 4, maxLength: 24 },
)

/** A site under a store that is restarted and killed, and a consumer that goes by its cursor alone. */
class Story {
  readonly site: TestSite
  readonly consumer = new Consumer()
  /** The most resets that there may be: one at the beginning, and one for each store that is killed before it is asked for changes. */
  resets = 1
  #store: FilesStore
  #isAsked = true
  #left: FilesStore[] = []

  static async begin(): Promise<Story> {
    const site = makeSite({ 'content/posts/a.md': '---\ntitle: A\n---\n' })
    const story = new Story(site, await open(site))
    await story.consumer.drain(story.#store)
    return story
  }

  private constructor(site: TestSite, store: FilesStore) {
    this.site = site
    this.#store = store
  }

  async play({ do: action, id, text }: Step): Promise<void> {
    const path = `content/posts/${id.replaceAll('~', '/')}.md`
    if (action === 'write') await this.#store.write([put(id, text)], ada).catch(() => undefined)
    else if (action === 'remove') await this.#store.write([{ key: key(id), remove: true }], ada).catch(() => undefined)
    else if (action === 'edit') this.site.write(path, `---\ntitle: ${text}\n---\nBy hand\n`)
    else if (action === 'form') this.site.write(path.replace('.md', '.markdown'), `---\ntitle: ${text}\n---\n`)
    else if (action === 'delete')
      for (const end of ['md', 'markdown']) rmSync(this.site.path(path.replace('md', end)), { force: true })
    else if (action === 'step') {
      this.#isAsked = true
      await Promise.all([
        this.consumer.step(this.#store, 1),
        this.#store.write([put(id, `${text}!`)], ada).catch(() => undefined),
      ])
    } else if (action === 'peek') await this.consumer.peek(this.#store, key(id))
    else if (action === 'tear') await this.#restart(text === 'z', () => this.#tear(id))
    else await this.#restart(action === 'restart', () => undefined)
  }

  /** One that is not closed is left as a killed process leaves it; what it still does must do no harm. */
  async #restart(closes: boolean, meanwhile: () => void): Promise<void> {
    if (closes) await this.#store.close()
    else this.#left.push(this.#store)
    if (!closes && !this.#isAsked) this.resets++
    meanwhile()
    this.#store = await open(this.site)
    this.#isAsked = false
  }

  #tear(how: string): void {
    const path = this.site.path('.cms/changes.log')
    if (!existsSync(path)) return
    const { size } = statSync(path)
    if (how === 'a') truncateSync(path, Math.floor(size * 0.8))
    else if (how === 'b') truncateSync(path, size - 3)
    else if (how === 'E') truncateSync(path, readFileSync(path).lastIndexOf('\n', size - 2) + 1)
    else appendFileSync(path, Buffer.alloc(40))
  }

  /** Returns the consumer's copy and the actual content, once it has fetched all. */
  async end(): Promise<[Map<string, string>, Map<string, string>]> {
    await this.#store.reconcile()
    await this.consumer.drain(this.#store)
    const fresh = await FilesStore.open(filesOptions(this.site, plainTypes(), new TestClock()))
    const truth = await held(fresh)
    for (const store of [fresh, this.#store, ...this.#left]) await store.close()
    this.site.remove()
    return [this.consumer.copy, truth]
  }
}

longTest('who follows the feed ends with what there is, whatever happened to the store', async (t) => {
  const property = fc.asyncProperty(STEPS, async (steps) => {
    const story = await Story.begin()
    for (const step of steps) await story.play(step)
    const [copy, truth] = await story.end()
    if (JSON.stringify([...copy].sort()) !== JSON.stringify([...truth].sort()))
      throw new Error(`told of ${story.consumer.told}: ${JSON.stringify([[...copy], [...truth]])}`)
    const isTorn = steps.some((step) => step.do === 'tear')
    if (!isTorn && story.consumer.resets > story.resets) throw new Error(`${story.consumer.resets} resets`)
  })
  await t.resolves(fc.assert(property, { numRuns: STORIES }))
})

t.test('a restart: what changed meanwhile comes after the cursor, and nothing else', async (t) => {
  const site = scratch(t, Object.fromEntries(['a', 'b', 'c', 'd'].map((id) => [`content/posts/${id}.md`, `# ${id}\n`])))
  const consumer = new Consumer()
  const first = await open(site)
  await consumer.drain(first)
  await first.write([put('a', 'A')], ada)
  await consumer.drain(first)
  await first.write([put('b', 'B')], ada)
  await first.close()
  site.write('content/posts/c.md', '# Changed\n')
  site.write('content/posts/new.md', '# New\n')
  rmSync(site.path('content/posts/d.md'))
  consumer.told = []
  const second = await opened(t, site)
  await consumer.drain(second)
  t.same(consumer.told.toSorted(), ['+b', '+c', '+new', '-d'])
  t.equal(consumer.resets, 1)
  await consumer.drain(second)
  t.equal(consumer.told.length, 4)
})

t.test('a file that becomes a draft by its folder alone has changed, also while nobody looked', async (t) => {
  const site = scratch(t, {
    'content/_posts/2020-01-01-a.md': '# A\n',
    'content/_posts/2020-01-01-b.md': '# B\n',
    'content/_drafts/c.md': '# C\n',
  })
  const consumer = new Consumer()
  const first = await open(site)
  await consumer.drain(first)
  await first.close()
  renameSync(site.path('content/_posts/2020-01-01-a.md'), site.path('content/_drafts/a.md'))
  renameSync(site.path('content/_posts/2020-01-01-b.md'), site.path('content/_posts/2021-01-01-b.md'))
  consumer.told = []
  await consumer.drain(await opened(t, site))
  t.same([consumer.told.toSorted(), consumer.resets], [['+a', '+b'], 1])
})

t.test('what a command writes while nothing serves is told of by the next server', async (t) => {
  const site = scratch(t, { 'content/posts/a.md': '# A\n' })
  const consumer = new Consumer()
  const server = await open(site)
  await consumer.drain(server)
  await server.close()
  const before = readFileSync(site.path('.cms/changes.log'))
  const command = await FilesStore.open(filesOptions(site, plainTypes(), new TestClock()))
  await command.write([put('b', 'B')], ada)
  t.match(await command.changes(consumer.cursor, 10), { reset: true }, 'a command knows nothing of it')
  await command.close()
  t.same(readFileSync(site.path('.cms/changes.log')), before, 'nor does it touch the log')
  consumer.told = []
  await consumer.drain(await opened(t, site))
  t.same([consumer.told, consumer.resets], [['+b'], 1])
})

t.test('after lines were lost every cursor is answered with a reset: who holds it may have seen what they told of', async (t) => {
  for (const by of [0, 5, -1]) {
    const site = scratch(t, { 'content/posts/a.md': '# A\n' })
    const path = site.path('.cms/changes.log')
    const store = await open(site)
    const { next: start } = await store.changes(undefined, 10)
    await store.write([put('b', 'B')], ada)
    const { next: early } = await store.changes(start, 10)
    const whole = statSync(path).size
    await store.write([put('c', 'C')], ada)
    const { next: late } = await store.changes(early, 10)
    await store.close()
    truncateSync(path, whole + by)
    const next = await opened(t, site)
    for (const cursor of [start, early, late]) t.match(await next.changes(cursor, 10), { reset: true, changes: [] })
    const { next: fresh } = await next.changes(late, 10)
    await next.write([put('d', 'D')], ada)
    t.match(await next.changes(late, 10), { reset: true }, 'though there are as many changes again')
    t.match(await next.changes(fresh, 10), { reset: false, changes: [{ key: { id: 'd' } }] })
  }
})

longTest('what was seen just before a kill is told of again, though the document be back as it was', async (t) => {
  for (const [how, inGit] of [
    ['hand', false],
    ['hand', true],
    ['write', false],
    ['write', true],
  ] as const) {
    const before = '---\ntitle: Before\n---\n'
    const site = scratch(t, { 'content/posts/a.md': before, 'content/posts/b.md': before })
    if (inGit) makeRepository(site)
    const words = ['-u', 'NODE_OPTIONS', ...fixture('follower'), JSON.stringify({ root: site.root, how })]
    const { signal, stdout } = spawnSync('env', words, { env: plainEnvironment(), encoding: 'utf8' })
    t.equal(signal, 'SIGKILL')
    const { cursor, version } = JSON.parse(stdout)
    site.write('content/posts/a.md', before)
    const store = await opened(t, site)
    const document = await store.get(key('a'))
    t.not(document?.version, version, 'what was seen is no more')
    t.match(
      await store.changes(cursor, 10),
      { reset: false, changes: [{ key: { id: 'a' } }] },
      `${how}, ${inGit ? 'git' : 'plain'}`,
    )
  }
})

t.test('what a run answered before it compared the files with the log is not lost with it', async (t) => {
  for (const how of ['killed', 'closed', 'killed later'] as const) {
    const site = scratch(t, { 'content/posts/a.md': '# A\n' })
    const first = await open(site)
    const { next: cursor } = await first.changes(undefined, 10)
    await first.close()
    site.write('content/posts/b.md', '# B\n')
    const second = await opened(t, site)
    if (how === 'killed later') await second.changes(cursor, 10)
    t.ok(await second.get(key('b')), 'it is seen')
    if (how === 'closed') await second.close()
    rmSync(site.path('content/posts/b.md'))
    const third = await opened(t, site)
    const { reset, changes } = await third.changes(cursor, 10)
    if (how === 'killed') t.same([reset, changes], [true, []])
    else t.match([reset, changes.at(-1)], [false, { key: { id: 'b' }, removed: true }], how)
  }
})

t.test('what a run wrote before anybody read its feed is all in it after a kill', async (t) => {
  const site = scratch(t)
  const first = await open(site)
  const { next: cursor } = await first.changes(undefined, 10)
  await first.close()
  const killed = await opened(t, site)
  const [one] = await killed.write([put('a', 'One')], ada)
  const [two] = await killed.write([put('a', 'Two')], ada)
  const next = await opened(t, site)
  const { reset, changes } = await next.changes(cursor, 10)
  t.same([reset, changes.map(({ version }) => version)], [false, [one?.version, two?.version]])
})

t.test('a log that was not closed is gone by after a kill, and not after a power cut', async (t) => {
  const site = scratch(t, { 'content/posts/a.md': '# A\n' })
  const left = await opened(t, site)
  const { next: cursor } = await left.changes(undefined, 10)
  const end = site.path('.cms/changes.log.end')
  const asLeft = readFileSync(end, 'utf8')
  const killed = await open(site)
  t.match(await killed.changes(cursor, 10), { reset: false }, 'the machine is still the one that the lines were handed to')
  await killed.close()
  const closed = readFileSync(end, 'utf8')
  const [boot = ''] = asLeft.split(' ')
  for (const text of [asLeft.replace(boot, '0'.repeat(boot.length)), asLeft.replace(boot, 'unknown'), '', '\0'.repeat(64)]) {
    writeFileSync(end, closed)
    const kept = await open(site)
    const { next } = await kept.changes(undefined, 10)
    await kept.close()
    writeFileSync(end, text)
    const after = await open(site)
    t.match(await after.changes(next, 10), { reset: true, changes: [] })
    await after.close()
  }
})

t.test('a log that can not be used is begun anew', async (t) => {
  const site = scratch(t, { 'content/posts/a.md': '# A\n', 'other/posts/x.md': '# X\n' })
  const path = site.path('.cms/changes.log')
  const store = await open(site)
  let { next: cursor } = await store.changes(undefined, 10)
  await store.close()
  const whole = readFileSync(path, 'utf8')
  const broken = ['', '{', '\n', 'x'.repeat(100), whole.replace('"schema":1', '"schema":0'), whole.replace(/\t\d+\n/, '\t-\n')]
  for (const text of broken) {
    writeFileSync(path, text)
    const next = await open(site)
    const answer = await next.changes(cursor, 10)
    t.match(answer, { reset: true, changes: [] })
    t.match(await next.changes(answer.next, 10), { reset: false, changes: [] })
    await next.close()
    cursor = answer.next
  }
  const elsewhere = await open(site, 'other')
  t.match(await elsewhere.changes(cursor, 10), { reset: true }, 'nor is that of another folder of content')
  await elsewhere.close()
})

t.test('a cursor that is none', async (t) => {
  const store = await opened(t, scratch(t, { 'content/posts/a.md': '# A\n' }))
  const { next } = await store.changes(undefined, 10)
  const [run] = next.split('.')
  for (const cursor of ['', '.', '0', `${run}.`, `${run}.1`, `${run}.-1`, `${run}.1e0`, `x.0`]) {
    t.match(await store.changes(cursor, 10), { reset: true, changes: [] }, cursor)
  }
})

t.test('where no log can be kept the feed works as long as the process does', async (t) => {
  const site = scratch(t, { 'content/posts/a.md': '# A\n', '.cms/changes.log/in-the-way': '' })
  const consumer = new Consumer()
  const store = await open(site)
  await consumer.drain(store)
  await store.write([put('b', 'B')], ada)
  await consumer.drain(store)
  t.same([consumer.told, consumer.resets], [['+b'], 1])
  await store.close()
  await consumer.drain(await opened(t, site))
  t.equal(consumer.resets, 2)
})
