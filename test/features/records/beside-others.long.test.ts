import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Document, Head } from '#core/document.ts'
import { keyOf } from '#core/key.ts'
import type { Page } from '#core/queries/query.ts'
import { Unavailable } from '#lib/errors.ts'
import { TestApp } from '#support/app.ts'
import { git, isSound, statusOf } from '#support/git.ts'
import { eachStore, openFiles, openMemory } from '#support/stores.ts'

const EDITOR = { name: 'Editor', email: 'editor@example.org' }
const POSTS = 60
const IDENTITY = {
  ...process.env,
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'a@b.c',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'a@b.c',
}
const TEXT = 'Text.\n'.repeat(50)
const post = (title: string) => `---\ntitle: ${title}\n---\n${TEXT}`
const FILES = Object.fromEntries(Array.from({ length: POSTS }, (_, n) => [`content/posts/p${n}.md`, post(`Main ${n}`)]))

t.test('a write without If-Match beside one who saves again and again is taken', (t) =>
  eachStore(t, { files: { 'content/posts/a.md': post('A') } }, async (t, opened) => {
    const app = new TestApp(opened)
    const write = opened.store.write.bind(opened.store)
    for (const request of ['PUT /api/cms/posts/a', 'POST /api/cms/posts/a/move', 'DELETE /api/cms/posts/b']) {
      let saves = 0
      opened.store.write = async (changes, by, note) => {
        const [change] = changes
        if (change && change.key.kind === 'posts' && ++saves < 22) {
          const key = 'put' in change && change.from ? change.from : change.key
          await write([{ key, put: { set: { saves } } }], EDITOR)
        }
        return write(changes, by, note)
      }
      const body = request.startsWith('PUT') ? { title: 'New' } : request.startsWith('POST') ? { id: 'b' } : undefined
      t.equal((await app.ask(request, { body })).status, 200, request)
      opened.store.write = write
    }
  }),
)

t.test('beside one who never stops it is 503, and never 412', async (t) => {
  const opened = await openMemory({ files: { 'content/posts/a.md': post('A') } })
  t.teardown(() => opened.close())
  const app = new TestApp(opened)
  const write = opened.store.write.bind(opened.store)
  let saves = 0
  opened.store.write = async (changes, by, note) => {
    if (changes[0]?.key.kind === 'posts') await write([{ key: keyOf('posts', 'a'), put: { set: { saves: ++saves } } }], EDITOR)
    return write(changes, by, note)
  }
  const { status, headers } = await app.ask('PUT /api/cms/posts/a', { body: { title: 'New' } })
  t.match([status, headers['retry-after']], [503, /^\d+$/])
  const stale = await app.ask('PUT /api/cms/posts/a', { body: { title: 'New' }, headers: { 'if-match': '"x"' } })
  t.equal(stale.status, 412, 'with If-Match it is')
})

async function inGit(t: Test) {
  const opened = await openFiles({ files: FILES, history: true, watch: true })
  // A watch alone keeps no process alive.
  const alive = setInterval(() => undefined, 1000)
  t.teardown(async () => {
    clearInterval(alive)
    await opened.close()
  })
  return { ...opened, app: new TestApp(opened) }
}

t.test('what a git at work has taken away for a moment is waited for', async (t) => {
  const { site, app, store } = await inGit(t)
  const path = 'content/posts/p1.md'
  const asked: [string, unknown, number][] = [
    ['GET /api/cms/posts/p1', undefined, 200],
    ['GET /api/cms/posts/p1/revisions', undefined, 200],
    ['PUT /api/cms/posts/p1', { title: 'Saved' }, 200],
    ['POST /api/cms/posts/p1/move', { id: 'moved' }, 200],
    ['POST /api/cms/posts/moved/move', { id: 'p1' }, 200],
    ['DELETE /api/cms/posts/p1', undefined, 200],
  ]
  for (const [request, body, wanted] of asked) {
    const name = request.includes('moved/') ? 'content/posts/moved.md' : path
    const text = readFileSync(site.path(name), 'utf8')
    await app.token()
    site.write('.git/index.lock', '')
    rmSync(site.path(name))
    const answer = app.ask(request, { body })
    // What is in memory is answered from there.
    await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 100))])
    site.write(name, text)
    rmSync(site.path('.git/index.lock'))
    t.equal((await answer).status, wanted, request)
  }
  site.write('.git/index.lock', '')
  rmSync(site.path('content/posts/p2.md'))
  const late = await app.ask('GET /api/cms/posts/p2')
  t.ok(late.status === 200 || (late.status === 503 && late.headers['retry-after']), 'not for ever')
  const total = async () => (await store.heads('posts', {})).total
  t.equal(await total(), POSTS - 1, 'lists are as they were: without the one removed before')
  rmSync(site.path('.git/index.lock'))
  // Nobody hints at it any more.
  while ((await total()) === POSTS - 1) await new Promise((resolve) => setTimeout(resolve, 2))
  t.equal((await app.ask('GET /api/cms/posts/p2')).status, 404, 'gone for good')
})

t.test('while an author goes from branch to branch, what is on both is there', async (t) => {
  const { site, app, store } = await inGit(t)
  git(site.root, ['checkout', '-q', '-b', 'other'])
  for (let n = 0; n < POSTS; n++) site.write(`content/posts/p${n}.md`, post(`Other ${n}`))
  git(site.root, ['commit', '-qam', 'Other'])
  await app.token()
  let isOver = false
  const found = new Map<string, number>()
  const count = (what: string, came: number) => {
    found.set(`${what} ${came}`, (found.get(`${what} ${came}`) ?? 0) + 1)
  }
  const isWhole = ({ fields, problem }: Head) => /^(?:Main|Other) /.test(String(fields.title)) && !problem
  const isWholeDocument = (document: Document) => isWhole(document) && document.body === TEXT
  const ask = async (request: string, body?: unknown) => {
    const { status } = await app.ask(request, { body })
    count(String(request.split(' ')[0]), status)
  }
  const asking = async (each: (n: number) => Promise<void>) => {
    for (let n = 0; !isOver; n++) {
      await each(n % POSTS)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const askers = [
    asking((n) => ask(`GET /api/cms/posts/p${n}`)),
    asking(async () => count('list', (await app.ask('GET /api/cms/posts?per_page=1')).body.meta?.total ?? 503)),
    asking(async () => count('heads', (await store.heads('posts', {})).items.filter(isWhole).length)),
    asking(async () => {
      const found = await store.browse('posts', {}).catch((error: unknown) => error)
      if (!(found instanceof Unavailable)) count('browse', (found as Page<Document>).items.filter(isWholeDocument).length)
    }),
    asking((n) => ask(`PUT /api/cms/posts/p${n}`, { excerpt: `Saved ${n}` })),
  ]
  const writes = () => (found.get('PUT 200') ?? 0) + (found.get('PUT 503') ?? 0)
  for (let round = 0; round < 12; round++) {
    const child = spawn('git', ['checkout', '-q', '-f', round % 2 === 0 ? 'main' : 'other'], { cwd: site.root, stdio: 'ignore' })
    await once(child, 'close')
    for (const before = writes(); writes() === before; ) await new Promise((resolve) => setImmediate(resolve))
  }
  isOver = true
  await Promise.all(askers)
  const odd = [...found.keys()].filter(
    (label) => !/^(?:(?:GET|PUT) (?:200|503)|list (?:60|503)|(?:heads|browse) 60)$/.test(label),
  )
  t.same(odd, [], JSON.stringify([...found]))
  for (const label of ['GET 200', 'PUT 200', 'list 60', 'heads 60', 'browse 60']) t.ok(found.get(label), label)
})

t.test('beside pulls that merge, saves and rollbacks go on, and none that was answered is lost', async (t) => {
  const { site, app, store } = await inGit(t)
  const colleague = mkdtempSync(join(tmpdir(), 'quire-colleague-'))
  t.teardown(() => rmSync(colleague, { recursive: true }))
  git(colleague, ['clone', '-q', site.root, '.'])
  const saved = new Map<string, unknown>()
  const odd = new Set<string>()
  const done = { PUT: 0, POST: 0 }
  let isOver = false
  const asking = async (each: (n: number) => Promise<void>) => {
    for (let n = 0; !isOver; n++) {
      await each(n)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const change = async (method: 'PUT' | 'POST', path: string, body?: unknown) => {
    const answer = await app.ask(`${method} /api/cms/posts/${path}`, { body })
    if (answer.status === 200) done[method]++
    else if (answer.status !== 503) odd.add(`${method} ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.status === 200
  }
  const first = (await app.ask('GET /api/cms/posts/p1/revisions')).body.data.at(-1)?.ts
  const askers = [
    asking(async (n) => {
      const values = { excerpt: `Saved ${n}`, status: n % 2 === 0 ? 'draft' : 'published' }
      if (await change('PUT', 'p0', values)) saved.set('excerpt', values.excerpt).set('status', values.status)
    }),
    asking(
      async (n) =>
        void ((await change('PUT', 'p1', { excerpt: `Saved ${n}` })) && (await change('POST', `p1/rollback/${first}`))),
    ),
    asking(async (n) => {
      const { status } = await app.ask(`GET /api/cms/posts/p${n % POSTS}`)
      if (status !== 200 && status !== 503) odd.add(`GET ${status}`)
      const { length } = (await store.heads('posts', {})).items.filter(({ problem }) => !problem)
      if (length !== POSTS) odd.add(`heads ${length}`)
    }),
  ]
  for (let round = 0; round < 5; round++) {
    for (let n = POSTS / 2; n < POSTS; n++) writeFileSync(join(colleague, `content/posts/p${n}.md`), post(`Round ${round}`))
    git(colleague, ['commit', '-qam', `Round ${round}`])
    // Who finds the index locked by a save tries again, as people do.
    for (const before = { ...done }; ; ) {
      const child = spawn('git', ['pull', '-q', '--no-rebase', '--no-edit', colleague, 'main'], {
        cwd: site.root,
        stdio: 'ignore',
        env: IDENTITY,
      })
      const [code] = await once(child, 'close')
      if (code === 0 && done.PUT > before.PUT && done.POST > before.POST) break
      // A git that found HEAD moved after it had merged leaves its MERGE_HEAD, and asks for this.
      if (existsSync(join(site.root, '.git/MERGE_HEAD')))
        await once(spawn('git', ['merge', '--abort'], { cwd: site.root }), 'close')
    }
  }
  isOver = true
  await Promise.all(askers)
  t.same([...odd], [])
  await store.reconcile()
  t.match((await store.get(keyOf('posts', 'p0')))?.fields, Object.fromEntries(saved))
  t.equal((await store.get(keyOf('posts', 'p59')))?.fields.title, 'Round 4')
  t.ok(Number(git(site.root, ['rev-list', '--merges', '--count', 'HEAD'])) > 0, 'they were merges')
  t.same(statusOf(site), [])
  t.ok(isSound(site))
})
