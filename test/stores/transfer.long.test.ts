import childProcess from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import fs, { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import type { AuditEntry } from '#core/audit-log.ts'
import { GROUPS_KEY } from '#core/files/layout.ts'
import { type Key, keyOf, keyText } from '#core/key.ts'
import type { Change, Store } from '#core/store.ts'
import type { ComingFile, Destination, MovedDocument, MovedWrite, Origin } from '#core/transfer.ts'
import { type Carried, carry } from '#features/storage/carrying.ts'
import { type Comparison, compare } from '#features/storage/comparing.ts'
import { InvalidInput } from '#lib/errors.ts'
import { claimServer } from '#stores/engine/private-folder.ts'
import { FilesAuditLog } from '#stores/files/audit/audit-log.ts'
import { FilesBlobs } from '#stores/files/blobs/blobs.ts'
import { FilesLedger } from '#stores/files/ledger/ledger.ts'
import { FilesDestination } from '#stores/files/transfer/destination.ts'
import type { FilesFolder } from '#stores/files/transfer/hold.ts'
import { readMoved, refuseMoved } from '#stores/files/transfer/moved.ts'
import { FilesOrigin } from '#stores/files/transfer/origin.ts'
import { PostgresAuditLog } from '#stores/postgres/audit-log.ts'
import { PostgresBlobs } from '#stores/postgres/blobs.ts'
import { Database } from '#stores/postgres/database.ts'
import { KeptBlobs } from '#stores/postgres/kept-blobs.ts'
import { PostgresLedger } from '#stores/postgres/ledger.ts'
import type { PostgresOptions } from '#stores/postgres/options.ts'
import { PostgresStore } from '#stores/postgres/store.ts'
import { PostgresDestination } from '#stores/postgres/transfer/destination.ts'
import { refuseMoved as refuseMovedAway } from '#stores/postgres/transfer/moved.ts'
import { PostgresOrigin } from '#stores/postgres/transfer/origin.ts'
import { replaceIn } from '#support/builtins.ts'
import { openAt, repository, SECOND, save } from '#support/by-hand.ts'
import { TestClock } from '#support/clock.ts'
import { git, isSound, statusOf } from '#support/git.ts'
import { testDatabase } from '#support/postgres.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { filesOptions, GIT } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const ADA = { name: 'Ada', email: 'ada@example.org' }
const MOVED = { message: /was moved to/ }
const ARRIVING = { message: /has not ended/ }
const TOKEN = keyOf('.tokens', 't1')

const post = (id: string): Key => keyOf('posts', id)

function folder(site: TestSite): FilesFolder {
  return { ...filesOptions(site, plainTypes(), new TestClock()), git: { ...GIT, enabled: 'auto' }, besideMax: 1024 }
}

async function database(t: Test): Promise<PostgresOptions> {
  return { url: await testDatabase(t), types: plainTypes(), clock: new TestClock(), watch: false, secret: 'x'.repeat(32) }
}

async function move(from: Promise<Origin>, to: Promise<Destination>, force = false): Promise<Carried> {
  const [origin, destination] = [await from, await to]
  try {
    return await carry(origin, destination, { force, signal: new AbortController().signal, onProgress: () => undefined })
  } finally {
    await destination.close()
    await origin.close()
  }
}

async function compared(site: TestSite, options: PostgresOptions): Promise<Comparison> {
  const [files, database] = [await origin(site), await PostgresOrigin.open(options)]
  return compare(files, database).finally(() => Promise.all([files.close(), database.close()]))
}

function origin(site: TestSite): Promise<Origin> {
  return FilesOrigin.open(folder(site), { otherwise: ADA })
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function emptySite(t: Test): TestSite {
  const site = makeSite()
  t.teardown(site.remove)
  return site
}

/** All that is told of a record but the commits. */
async function told(store: Store, key: Key) {
  const { items = [] } = (await store.history(key, {})) ?? {}
  const states = await Promise.all(items.map(({ number }) => store.at(key, number)))
  const { source, version, createdAt } = (await store.get(key)) ?? {}
  return { revisions: items.map(({ commit: _, ...rest }) => rest), states, source, version, createdAt }
}

/** A site with all that a history can hold; gives the ids there ever were. */
async function eventful(t: Test, site: TestSite): Promise<string[]> {
  save(site, 'content/posts/a.md', 'one\n', 'First\n\nMore of it\n\nSigned-off-by: Ada\n')
  save(site, 'content/posts/a.md', 'two\r\nlines\r\n', 'Second')
  save(site, 'content/posts/bom.md', '\ufeff---\ntitle: Bom\n---\nb\n', 'Bom')
  save(site, 'content/posts/bad.md', '---\ntitle: [\n---\n', 'Unreadable')
  site.write('content/posts/bytes.md', Buffer.from([0xff, 0, 1, 0x80, 10]))
  save(site, 'content/posts/deep/index.md', 'deep\n', 'Two files in one commit')
  const store = await openAt(t, site.root)
  await store.write([{ key: post('a'), put: { set: { title: 'A' } } }], ADA, { request: 'req-1' })
  await store.write([{ key: post('moved'), from: post('a'), put: {} }], ADA)
  await store.write([{ key: post('a'), put: { set: { title: 'Another a' } } }], { name: 'Bob', email: 'b@example.org' })
  await store.write([{ key: post('gone'), put: { set: { title: 'Gone' } } }], ADA, { message: 'With words\n\nof its own' })
  await store.write([{ key: post('gone'), remove: true }], ADA)
  const [first] = (await store.history(post('moved'), {}))?.items.slice(-1) ?? []
  const { source } = (await store.at(post('moved'), first?.number ?? 0)) ?? {}
  await store.write([{ key: post('moved'), put: { source: source ?? Buffer.alloc(0) } }], ADA, { action: 'rolled_back' })
  await store.write([{ key: TOKEN, put: { set: { name: 'x' } } }], ADA)
  const both = ['moved', 'a'].map((id) => ({ key: post(id), put: { set: { note: 'of two' } } }))
  await store.write(both, ADA, { action: 'updated', actions: new Map([['posts/a', 'published']]) })
  save(site, 'content/_posts/2013-05-06-dated.md', 'one\n', 'Of another tool')
  save(site, 'content/x/_posts/2013-05-07-lost.md', '# Lost\n', 'To be lost')
  save(site, 'content/_drafts/draft.md', '# Draft\n', 'A draft')
  save(site, 'content/posts/guide/_index.md', '# Guide\n', 'A section')
  await store.reconcile()
  await store.write([{ key: post('dated'), put: { set: { title: 'Dated' } } }], ADA)
  await store.write([{ key: post('lost'), remove: true }], ADA)
  branches(site)
  await store.write([{ key: post('both'), put: { set: { title: 'After' } } }], ADA)
  return ['a', 'bom', 'bad', 'bytes', 'deep', 'moved', 'gone', 'both', 'kept', 'side', 'dated', 'lost', 'draft', 'guide']
}

/** Two lines of history: the same edit in both, one that was removed in one and kept, one from each. */
function branches(site: TestSite): void {
  save(site, 'content/posts/both.md', 'old\n', 'Old')
  save(site, 'content/posts/kept.md', 'old\n', 'Old as well')
  git(site.root, ['switch', '-q', '-c', 'side'])
  save(site, 'content/posts/both.md', 'same\n', 'The same on the side', SECOND + 5)
  save(site, 'content/posts/side.md', 's\n', 'Side', SECOND + 6)
  git(site.root, ['rm', '-q', 'content/posts/kept.md'])
  save(site, 'content/posts/side.md', 's2\n', 'Without kept', SECOND + 6)
  git(site.root, ['switch', '-q', 'main'])
  save(site, 'content/posts/both.md', 'same\n', 'The same on main', SECOND + 7)
  save(site, 'content/posts/kept.md', 'new\n', 'Kept', SECOND + 8)
  try {
    git(site.root, ['merge', '-q', '--no-ff', '-m', 'Merge', 'side'])
  } catch {
    git(site.root, ['add', '-A'])
    git(site.root, ['commit', '-q', '-m', 'Merge, with what was removed on the side'])
  }
}

t.test('a site with all its history is the same in a database, and in files again', async (t) => {
  const site = repository(t)
  const ids = await eventful(t, site)
  save(site, 'content/settings.yaml', 'site:\n  tagline: One\n', 'Settings')
  save(site, 'content/settings.yaml', 'site:\n  tagline: Two # 2\n', 'Settings, again')
  save(site, 'content/settings/custom.yaml', 'a: 1\n', 'Of a group')
  const clock = new TestClock()
  const ledger = await FilesLedger.open(site.path('.cms/ledger.log'), clock)
  await ledger.put('once', { a: 1 }, 60_000)
  const noted = new FilesAuditLog({ privateDir: site.path('.cms') })
  await noted.append(audited)
  await noted.note([{ request: 'r0', at: audited[0]?.at ?? '', via: 'token:ci', ip: '192.0.2.1' }])
  const counts = Array.from({ length: 250 }, (_, n) => ({ name: `n${n}`, n }))
  await ledger.addAll(counts, 60_000)
  const options = await database(t)
  const carried = await move(origin(site), PostgresDestination.open(options))
  t.match(carried, { documents: 14, privates: 1, resumed: 0 })
  t.match(await compared(site, options), { differences: 0 })
  t.throws(() => refuseMoved(site.path('.cms')), MOVED, 'the source is left as moved')
  refuseMoved(site.path('.cms'), true)
  t.match(readMoved(site.path('.cms'))?.to, /PostgreSQL at .*, database/)
  const again = emptySite(t)
  await move(PostgresOrigin.open(options), FilesDestination.open(folder(again)))
  t.strictSame(statusOf(again), [])
  t.ok(isSound(again))
  const stores = [await openAt(t, site.root), await PostgresStore.open(options), await openAt(t, again.root)] as const
  t.teardown(() => stores[1].close())
  await Promise.all(stores.map((store) => store.dated()))
  const settings = [GROUPS_KEY, keyOf('settings', 'custom')]
  for (const key of [...ids.map(post), ...settings]) {
    const { id } = key
    const [first, second, third] = await Promise.all(stores.map((store) => told(store, key)))
    t.ok(first?.revisions.length, `${id} has revisions`)
    t.strictSame(second, first, `${id} in the database`)
    t.strictSame(third, first, `${id} in files again`)
  }
  for (const path of git(site.root, ['ls-files', 'content']).split('\n'))
    t.strictSame(readFileSync(again.path(path)), readFileSync(site.path(path)), path)
  t.strictSame(readFileSync(again.path('.cms/tokens/t1.yaml')), readFileSync(site.path('.cms/tokens/t1.yaml')))
  t.strictSame(await new PostgresLedger(stores[1].database, clock).peek('once'), { a: 1 })
  const carriedBack = await FilesLedger.open(again.path('.cms/ledger.log'), clock)
  t.strictSame(await carriedBack.peek('once'), { a: 1 })
  t.strictSame(
    await Promise.all(counts.map(({ name }) => carriedBack.peek(name))),
    counts.map(({ n }) => n),
  )
  const { items } = await noted.page({}, {})
  t.match(items.at(-1), { id: 'e0', ip: '192.0.2.1', via: 'token:ci' })
  for (const log of [new PostgresAuditLog(stores[1].database), new FilesAuditLog({ privateDir: again.path('.cms') })])
    t.strictSame(await log.page({}, {}), { items, total: audited.length })
  await t.rejects(refuseMovedAway(stores[1].database), MOVED, 'the database is left as moved, too')
})

t.test('who has opened a site writes to it no more once it was moved away', async (t) => {
  const site = repository(t)
  site.write('content/posts/a.md', 'one\n')
  const options = await database(t)
  const store = await openAt(t, site.root)
  await store.write([{ key: post('b'), put: { set: { title: 'B' } } }], ADA)
  await move(origin(site), PostgresDestination.open(options))
  for (const key of [post('b'), TOKEN])
    await t.rejects(store.write([{ key, put: { set: { title: 'Lost' } } }], ADA), MOVED, keyText(key))
  t.match(await store.get(post('b')), { fields: { title: 'B' } }, 'it can be read')
  t.match(await compared(site, options), { differences: 0 })
  const forced = await openAt(t, site.root)
  await forced.write([{ key: post('b'), put: { set: { title: 'Forced' } } }], ADA)
})

t.test('what is written to files while they are moved, and a server that began, is found out at the end', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', 'one\n', 'First')
  const options = await database(t)
  const late = async (change: () => void) => {
    const from = await origin(site)
    change()
    return move(Promise.resolve(from), PostgresDestination.open(options))
  }
  const WRITTEN = { message: /was written to meanwhile/ }
  await t.rejects(
    late(() => site.write('content/posts/a.md', 'by hand\n')),
    WRITTEN,
  )
  await t.rejects(
    late(() => save(site, 'content/posts/b.md', 'b\n', 'A commit')),
    WRITTEN,
  )
  await t.rejects(
    late(() => site.write('.cms/tokens/t1.yaml', 'name: late\n')),
    WRITTEN,
  )
  let claim: { release(): void } | undefined
  const serve = () => {
    claim = claimServer(site.path('.cms'), 'http://127.0.0.1:1', 0)
  }
  await t.rejects(late(serve), { message: /A server runs on this site/ })
  claim?.release()
  t.equal(readMoved(site.path('.cms')), undefined, 'it lives where it was')
  await move(origin(site), PostgresDestination.open(options))
  t.match(await compared(site, options), { differences: 0 })
})

const audited = Array.from(
  { length: 3 },
  (_, nth): AuditEntry => ({
    ...{ id: `e${nth}`, at: `2026-11-2${nth}T00:00:00.000Z`, actor: { kind: 'local', id: null, name: 'Ada' }, via: null },
    ...{ action: 'user.created', target: { kind: 'user', type: 'user', id: 'u', title: 'Ben' }, outcome: 'ok', changed: null },
    ...{ request_id: `r${nth}`, ip: null },
  }),
)

/** A site with files of all sorts; gives their bytes by path, and the names of the blobs of two sidecars. */
async function withFiles(site: TestSite): Promise<{ files: Map<string, Buffer>; ref: string; small: string }> {
  const bytes = (length: number) => randomBytes(length)
  const files = new Map([
    ['content/posts/trip/cat.jpg', bytes(3_000)],
    ['content/media/2026/small.png', bytes(500)],
    ['content/media/2026/alone.pdf', bytes(2_000)],
    ['content/media/2026/replaced.png', bytes(2_000)],
    ['static/robots.txt', Buffer.from('User-agent: *\n')],
    ['static/fonts/a b.woff2', bytes(300_000)],
  ])
  save(site, 'content/posts/trip/index.md', '![](cat.jpg)\n', 'Trip')
  const sidecar = (hash: string, size: number) => `checksum: sha256:${hash}\nsize: ${size}\nalt: A\n`
  const small = files.get('content/media/2026/small.png') ?? Buffer.alloc(0)
  save(site, 'content/media/2026/small.png.yaml', sidecar(sha256(small), small.length), 'Small')
  save(site, 'content/media/2026/replaced.png.yaml', sidecar('0'.repeat(64), 1), 'Replaced by hand since')
  for (const [path, content] of files) save(site, path, content, path)
  const { ref, size } = await new FilesBlobs(site.path('.cms/media'), new TestClock()).put(Readable.from([bytes(5_000)]), 9_999)
  save(site, 'content/media/large.mp4.yaml', sidecar(ref, size), 'Large')
  save(site, 'content/media/lost.mp4.yaml', sidecar('1'.repeat(64), 5), 'Of which the bytes are gone')
  save(site, 'content/menus/main.yaml', 'label: Main\nitems: []\n', 'Menu')
  return { files, ref, small: sha256(small) }
}

t.test('files beside records, static ones and media are the same in a database, and in files again', async (t) => {
  const site = repository(t)
  const { files, ref, small } = await withFiles(site)
  const options = await database(t)
  t.match(await move(origin(site), PostgresDestination.open(options)), { files: 7 })
  const opened = await Database.open(options.url)
  const kept = new KeptBlobs(new PostgresBlobs(opened, new TestClock()), opened)
  t.equal(await kept.sweep(Number.MAX_SAFE_INTEGER, (named) => named === ref || named === small), 0, 'a sweep knows them')
  const held = await opened.read((db) => db.selectFrom('site_files').select('ref').execute())
  for (const one of held) await kept.remove(one.ref)
  await opened.close()
  t.match(await compared(site, options), { files: 7, differences: 0 }, 'nor is one removed that is a file of the site')
  const again = emptySite(t)
  await move(PostgresOrigin.open(options), FilesDestination.open(folder(again)))
  t.strictSame(statusOf(again), [])
  t.ok(isSound(again))
  for (const path of git(site.root, ['ls-files', 'content', 'static']).split('\n')) {
    const name = path.replace(/^"(.*)"$/, '$1')
    t.strictSame(readFileSync(again.path(name)), readFileSync(site.path(name)), name)
  }
  t.equal(git(again.root, ['ls-files', 'static', 'content/media', 'content/posts']).split('\n').length, files.size + 5)
  const large = await buffer((await new FilesBlobs(again.path('.cms/media'), new TestClock()).open(ref)) ?? Readable.from([]))
  t.equal(sha256(large), ref)
  t.notOk(existsSync(again.path('content/media/large.mp4')), 'too large for git')
  const other = sha256(files.get('content/media/2026/replaced.png') ?? Buffer.alloc(0))
  t.notOk(await new FilesBlobs(again.path('.cms/media'), new TestClock()).open(other), 'what nobody names is no blob')
  t.notOk(existsSync(again.path('.git/refs/cms/pending')), 'nothing is held that is in no branch')
  again.write('static/robots.txt', 'other\n')
  again.write('static/more.txt', 'more\n')
  rmSync(again.path('content/posts/trip/cat.jpg'))
  t.match(await compared(again, options), {
    differences: 3,
    first: [
      { key: 'content/posts/trip/cat.jpg', what: 'is only in the database' },
      { key: 'static/more.txt', what: 'is only in the files' },
      { key: 'static/robots.txt', what: 'has other bytes, or another file' },
    ],
  })
})

t.test('a file that is in the place of another is not written over', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', 'a\n')
  save(site, 'static/a.txt', 'a\n')
  save(site, 'static/same.txt', 'same\n')
  const options = await database(t)
  await move(origin(site), PostgresDestination.open(options))
  const again = emptySite(t)
  again.write('static/same.txt', 'same\n')
  again.write('static/a.txt', 'mine\n')
  const back = () => move(PostgresOrigin.open(options), FilesDestination.open(folder(again)))
  await t.rejects(back(), { message: 'There is another file at static/a.txt already.' })
  t.equal(readFileSync(again.path('static/a.txt'), 'utf8'), 'mine\n')
  rmSync(again.path('static/a.txt'))
  await back()
  t.strictSame(statusOf(again), [])
  t.match(await compared(again, options), { files: 2, differences: 0 })
})

/** A destination that is killed as it is about to take something for the nth time. */
function mortal(destination: Destination, lives: number): Destination {
  let left = lives
  const step = () => {
    if (left-- <= 0) throw new Error('killed')
    return destination
  }
  const told: Pick<Destination, 'takeWrites' | 'takeDocuments' | 'takeFiles' | 'finish'> = {
    takeWrites: async (writes: readonly MovedWrite[]) => step().takeWrites(writes),
    takeDocuments: async (documents: AsyncIterable<MovedDocument>) => step().takeDocuments(documents),
    takeFiles: async (files: AsyncIterable<ComingFile>) => step().takeFiles(files),
    finish: async () => step().finish(),
  }
  return new Proxy(destination, {
    get: (target, name) => {
      const found = name in told ? told[name as keyof typeof told] : Reflect.get(target, name, target)
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
}

t.test('cut short anywhere, a move goes on when it is begun again', async (t) => {
  const site = repository(t)
  for (let n = 0; n < 3; n++) save(site, `content/posts/p${n}.md`, `${n}\n`, `Save ${n}`, SECOND + n)
  const options = await database(t)
  for (const lives of [0, 1, 1, 2]) {
    await t.rejects(
      move(
        origin(site),
        PostgresDestination.open(options).then((one) => mortal(one, lives)),
      ),
      /killed/,
    )
    await t.rejects(PostgresOrigin.open(options), ARRIVING, 'what is arriving is no site')
  }
  t.ok(readMoved(site.path('.cms')), 'one that was marked last may go on')
  t.match(await move(origin(site), PostgresDestination.open(options)), { resumed: 3 })
  t.match(await compared(site, options), { documents: 3, revisions: 3, differences: 0 })
  const target = emptySite(t)
  for (const lives of [0, 1, 2, 2]) {
    await t.rejects(
      move(
        PostgresOrigin.open(options),
        FilesDestination.open(folder(target)).then((one) => mortal(one, lives)),
      ),
      /killed/,
    )
    t.throws(() => refuseMoved(target.path('.cms'), true), ARRIVING)
  }
  await move(PostgresOrigin.open(options), FilesDestination.open(folder(target)))
  refuseMoved(target.path('.cms'))
  t.match(await compared(target, options), { documents: 3, revisions: 3, differences: 0 })
  t.strictSame(statusOf(target), [])
})

t.test('cut short at any step of its end, a move into files goes on when it is begun again', async (t) => {
  const source = repository(t)
  save(source, 'content/posts/a.md', 'a\n')
  save(source, 'static/a.txt', 'a\n')
  const options = await database(t)
  await move(origin(source), PostgresDestination.open(options))
  const isAsked = (words: readonly string[], name: string) => words.includes(name)
  const steps = ['commit-tree', 'update-ref', 'arriving.json']
  for (const [nth, step] of [...steps, ...steps].entries()) {
    await t.test(`${step}, ${nth < steps.length ? 'before' : 'after'} it`, async (t) => {
      const target = emptySite(t)
      const destination = await FilesDestination.open(folder(target))
      const finish = destination.finish.bind(destination)
      destination.finish = async () => {
        const { spawn } = childProcess
        const { rmSync } = fs
        let isDead = false
        const dies = (is: boolean, work: () => unknown) => {
          if (isDead || (is && nth < steps.length)) throw new Error('killed')
          isDead = is
          return work()
        }
        replaceIn(t, childProcess, {
          spawn: (command: string, words: readonly string[], more: object) =>
            dies(isAsked(words, step), () => spawn(command, words, more)),
        })
        replaceIn(t, fs, {
          rmSync: (path: string, more?: object) => dies(path.endsWith(step), () => rmSync(path, more)),
        })
        await finish().finally(() => {
          replaceIn(t, childProcess, { spawn })
          replaceIn(t, fs, { rmSync })
        })
      }
      const first = await move(PostgresOrigin.open(options), Promise.resolve(destination), true).catch(() => undefined)
      t.ok(first === undefined || nth === 2 * steps.length - 1)
      fs.writeFileSync(target.path('.git/cms-transfer-index.lock'), '')
      if (!first) await move(PostgresOrigin.open(options), FilesDestination.open(folder(target)), true)
      refuseMoved(target.path('.cms'))
      t.match(await compared(target, options), { documents: 1, revisions: 1, files: 1, differences: 0 })
      t.strictSame(statusOf(target), [])
      t.equal(git(target.root, ['rev-list', '--count', 'HEAD']), '2')
    })
  }
})

t.test('a repository that was not made to its end is made when the move goes on', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', 'a\n')
  const options = await database(t)
  await move(origin(site), PostgresDestination.open(options))
  const again = emptySite(t)
  for (const name of ['branches', 'info', 'refs']) fs.mkdirSync(again.path(`.git/${name}`), { recursive: true })
  await move(PostgresOrigin.open(options), FilesDestination.open(folder(again)))
  t.match(await compared(again, options), { documents: 1, revisions: 1, differences: 0 })
  t.ok(isSound(again))
})

t.test('what is gone when a move goes on is not brought by what was cut short', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', 'a\n')
  save(site, 'content/posts/trip/index.md', 'trip\n')
  site.write('content/posts/trip/gone.jpg', 'private\n')
  site.write('static/gone.txt', 'private\n')
  const clock = new TestClock()
  const ledger = await FilesLedger.open(site.path('.cms/ledger.log'), clock)
  for (const name of ['here', 'code', 'later']) await ledger.put(name, 1, 60_000)
  const options = await database(t)
  const into = () => PostgresDestination.open(options)
  const cut = (destination: Promise<Destination>) => destination.then((one) => mortal(one, 3))
  await t.rejects(move(origin(site), cut(into())), /killed/)
  for (const path of ['content/posts/trip/gone.jpg', 'static/gone.txt']) rmSync(site.path(path))
  await ledger.take('code')
  t.match(await move(origin(site), into(), true), { resumed: 2, files: 0 })
  t.match(await compared(site, options), { files: 0, differences: 0 })
  const opened = await Database.open(options.url)
  t.teardown(() => opened.close())
  const there = new PostgresLedger(opened, clock)
  t.strictSame([await there.peek('here'), await there.peek('code')], [1, undefined])
  const again = emptySite(t)
  const back = () => FilesDestination.open(folder(again))
  await t.rejects(move(PostgresOrigin.open(options), cut(back())), /killed/)
  await there.take('later')
  await move(PostgresOrigin.open(options), back(), true)
  const here = await FilesLedger.open(again.path('.cms/ledger.log'), clock)
  t.strictSame([await here.peek('here'), await here.peek('code'), await here.peek('later')], [1, undefined, undefined])
})

t.test('a session that ends, or a code that is used, while a database is read is found out at the end', async (t) => {
  const options = await database(t)
  const store = await PostgresStore.open(options)
  await store.write([{ key: post('a'), put: { set: { title: 'A' } } }], ADA)
  const ledger = new PostgresLedger(store.database, options.clock)
  await ledger.put('session', 1, 60_000)
  await ledger.put('short', 1, 1_000)
  t.teardown(() => store.close())
  const changes: readonly (() => Promise<unknown>)[] = [
    () => ledger.take('session'),
    () => ledger.put('session', 2, 60_000),
    () => ledger.put('used', true, 60_000),
  ]
  for (const change of changes) {
    const origin = await PostgresOrigin.open(options)
    for await (const _ of origin.facts());
    await change()
    await t.rejects(origin.leave('files'), { message: /written to meanwhile/ })
    await origin.close()
  }
  const origin = await PostgresOrigin.open(options)
  for await (const _ of origin.facts());
  ;(options.clock as TestClock).advance(2_000)
  await origin.leave('files')
  await origin.close()
})

t.test('another state of the source takes the place of what has not ended arriving', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', 'a\n')
  const options = await database(t)
  await t.rejects(
    move(
      origin(site),
      PostgresDestination.open(options).then((one) => mortal(one, 1)),
    ),
    /killed/,
  )
  save(site, 'content/posts/a.md', 'b\n')
  t.match(await move(origin(site), PostgresDestination.open(options)), { resumed: 0, writes: 2 })
  t.match(await compared(site, options), { revisions: 2, differences: 0 })
})

t.test('nothing is written over', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', 'a\n')
  const options = await database(t)
  await move(origin(site), PostgresDestination.open(options))
  await t.rejects(move(origin(site), PostgresDestination.open(options)), MOVED, 'it was moved before')
  await t.rejects(move(origin(site), PostgresDestination.open(options), true), {
    message: /There is a site in PostgreSQL.*posts\/a/,
  })
  await t.rejects(move(PostgresOrigin.open(options), FilesDestination.open(folder(site))), {
    message: /is not empty: there is content\/posts\/a.md/,
  })
  git(site.root, ['rm', '-q', '-r', 'content'])
  git(site.root, ['commit', '-q', '-m', 'Remove all'])
  await t.rejects(move(PostgresOrigin.open(options), FilesDestination.open(folder(site))), {
    message: /has a history of records already/,
  })
  t.notOk(existsSync(site.path('content/posts/a.md')))
})

t.test('accounts and tokens of before are none of the site that comes back', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', 'a\n')
  const store = await openAt(t, site.root)
  await store.write([{ key: TOKEN, put: { set: { name: 'x' } } }], ADA)
  await store.close()
  const options = await database(t)
  await move(origin(site), PostgresDestination.open(options))
  const moved = await PostgresStore.open(options)
  await moved.write([{ key: TOKEN, remove: true }], ADA)
  await moved.close()
  for (const name of ['content', '.git']) rmSync(site.path(name), { recursive: true })
  const back = () => move(PostgresOrigin.open(options), FilesDestination.open(folder(site)))
  await t.rejects(back(), { message: 'The folder .cms has private documents already: there is tokens/t1.yaml.' })
  t.notOk(existsSync(site.path('content/posts/a.md')))
  renameSync(site.path('.cms'), site.path('before'))
  await back()
  t.ok(existsSync(site.path('content/posts/a.md')))
  t.notOk(existsSync(site.path('.cms/tokens/t1.yaml')), 'what was revoked meanwhile is gone')
})

t.test('another state of the source does not mix with what has begun to arrive in files', async (t) => {
  const source = repository(t)
  save(source, 'content/posts/a.md', 'a\n')
  const options = await database(t)
  await move(origin(source), PostgresDestination.open(options))
  const change = async (change: Change) => {
    const store = await PostgresStore.open(options)
    await store.write([change], ADA)
    await store.close()
  }
  await change({ key: TOKEN, put: { set: { name: 'x' } } })
  const target = emptySite(t)
  const files = () => FilesDestination.open(folder(target))
  const dying = await files()
  dying.takeFacts = () => Promise.reject(new Error('killed'))
  await t.rejects(move(PostgresOrigin.open(options), Promise.resolve(dying)), /killed/)
  t.ok(existsSync(target.path('.cms/tokens/t1.yaml')))
  await change({ key: TOKEN, remove: true })
  const failure = await move(PostgresOrigin.open(options), files()).catch((error: unknown) => error)
  t.match(failure, { message: /^Another state/, hint: 'Remove what is in content, and the folder .cms, then run it again.' })
  for (const name of ['content', '.cms']) rmSync(target.path(name), { recursive: true })
  await move(PostgresOrigin.open(options), files())
  t.match(await compared(target, options), { differences: 0 })
})

t.test('what can be no document in a database is named, all of it, before anything is moved', async (t) => {
  const site = repository(t, { 'content/posts/a.md': 'a', 'content/posts/a/index.md': 'a', 'content/posts/x~y.md': 'x' })
  const failure = await origin(site).catch((error: unknown) => error)
  t.type(failure, InvalidInput)
  const { errors } = failure as InvalidInput
  t.strictSame(Object.keys(errors).sort(), ['content/posts/a.md', 'content/posts/a/index.md', 'content/posts/x~y.md'])
  t.match(errors['content/posts/x~y.md'], [/Rename it to/])
})

t.test('what is in no commit is kept as a revision by hand', async (t) => {
  const site = repository(t)
  save(site, 'content/posts/a.md', 'a\n')
  save(site, 'content/posts/gone.md', 'gone\n')
  git(site.root, ['config', 'user.name', 'Ada'])
  git(site.root, ['config', 'user.email', 'ada@example.org'])
  site.write('content/posts/a.md', 'edited\n')
  site.write('content/posts/new.md', 'new\n')
  git(site.root, ['rm', '-q', '--cached', 'content/posts/gone.md'])
  const options = await database(t)
  t.match(await move(origin(site), PostgresDestination.open(options)), { documents: 3, revisions: 4 })
  t.match(await compared(site, options), { differences: 0 })
  const store = await PostgresStore.open(options)
  t.teardown(() => store.close())
  const { items = [] } = (await store.history(post('a'), {})) ?? {}
  t.match(items, [{ action: 'external', message: 'Keep local edit of 2 files', by: ADA }, { action: 'external' }])
})

t.test('a site without a history begins one, and its dates are not made up', async (t) => {
  const site = makeSite({
    'content/posts/a.md': 'a\n',
    'content/index.md': 'home\n',
    'content/taxonomy/tags/x.yaml': 'title: X\n',
  })
  t.teardown(site.remove)
  const options = await database(t)
  t.match(await move(origin(site), PostgresDestination.open(options)), { documents: 3, writes: 1 })
  const store = await PostgresStore.open(options)
  t.teardown(() => store.close())
  const found = await store.get(post('a'))
  t.strictSame([found?.source?.toString(), found?.createdAt, found?.updatedAt], ['a\n', undefined, undefined])
  t.match((await store.history(post('a'), {}))?.items, [{ action: 'external', isEnd: true }])
  const target = emptySite(t)
  await move(PostgresOrigin.open(options), FilesDestination.open(folder(target)))
  t.match(await compared(target, options), { documents: 3 })
  t.strictSame(statusOf(target), [])
})
