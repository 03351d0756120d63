// `npm run test:held`: has a server answer for records of 1 MiB of many shapes, and fails where what is asked of it holds its
// event loop over 100 ms. Arguments choose kinds, shapes and what is asked by a part of their names; HELD=all prints all. The
// least of some tries counts: other processes only add to it.
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeRepository } from '#support/git.ts'
import { makeSite } from '#support/sites.ts'
import { LARGEST } from './judge.ts'
import { SHAPES, type Shape } from './shapes.ts'

const HELD_MS = 100
const TRIES = 4
const WAIT_MS = 20
const CMS = fileURLToPath(new URL('../../bin/cms.js', import.meta.url))
const TICKS = new URL('./ticks.js', import.meta.url).href
const RECORD = '/api/cms/posts/held'
const CONFIGURATION = 'site:\n  name: Held\n  url: http://localhost\nthrottle:\n  api: "off"\n  search: "off"\n'

/**
 * Sizes below the limits from which on parts of a site are made of less, or in a thread: of a page as Markdown at once, of a text in
 * a feed, of a page as Markdown.
 */
const NEAR = [30 * 1024, 62 * 1024, 240 * 1024, 480 * 1024]

/** One thing that is asked; resolves with the answers' statuses. */
type Task = readonly [name: string, work: () => Promise<unknown>]

/** A kind of text that has a shape: front matter or the body of a file, or the body of a request. */
interface Kind {
  readonly name: string
  readonly shapes: readonly Shape[]
  readonly tasks: (text: string) => readonly Task[]
  /** Characters of a text; nearly LARGEST where it is absent. */
  readonly size?: number
}

const fenced = (open: string, close: string) => (text: string) =>
  `${open}\n${text.endsWith('\n') ? text : `${text}\n`}${close}\n\nBody\n`

const KINDS: readonly Kind[] = [
  { name: 'yaml head', shapes: SHAPES.yaml, tasks: (text: string) => fileTasks(fenced('---', '---')(text)) },
  { name: 'toml head', shapes: SHAPES.toml, tasks: (text: string) => fileTasks(fenced('+++', '+++')(text)) },
  { name: 'json head', shapes: SHAPES.json, tasks: (text: string) => fileTasks(fenced('---json', '---')(text)) },
  { name: 'markdown body', shapes: SHAPES.markdown, tasks: bodyTasks },
  ...NEAR.map((size) => ({ name: `markdown of ${size / 1024} KiB`, shapes: SHAPES.markdown, tasks: siteTasks, size })),
  { name: 'json request', shapes: SHAPES.json, tasks: requestTasks },
]

const [kindPart = '', shapePart = '', taskPart = ''] = process.argv.slice(2)
const site = makeSite({ 'cms.config.yaml': CONFIGURATION, 'content/posts/other.md': '---\ntitle: Other\n---\n\nword\n' })
makeRepository(site)
const making = ['-C', site.root, 'token:create', '--name', 'held', '--scope', 'admin']
const secret = execFileSync(process.execPath, [CMS, ...making], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
const server = await started()
const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
let turn = 0
let done = 0
let bad = 0

try {
  for (const kind of KINDS.filter(({ name }) => name.includes(kindPart))) {
    for (const shape of kind.shapes.filter((one) => one.name.includes(shapePart))) await measure(kind, shape)
  }
} finally {
  server.child.kill('SIGTERM')
  await once(server.child, 'exit')
  rmSync(site.root, { recursive: true, force: true })
}
process.stdout.write(`${done} measured, ${bad} bad\n`)
process.exitCode = bad === 0 ? 0 : 1

async function started() {
  const child = fork(CMS, ['-C', site.root, 'serve', '--port', '0', '--json'], {
    execArgv: [`--import=${TICKS}`],
    env: { ...process.env, TICKED_BY: String(process.pid) },
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  const [said] = await once(child.stdout ?? child, 'data')
  const url = /https?:\/\/[^"\s]*\d/.exec(String(said))?.[0]
  if (url === undefined) throw new Error(`The server said no address: ${said}`)
  return { child, url }
}

async function measure({ name: kind, tasks, size = LARGEST - 1024 }: Kind, shape: Shape): Promise<void> {
  const [first, ...others] = tasks(shape.of(size))
  for (const [name, work] of [...(first ? [first] : []), ...others.filter(([name]) => name.includes(taskPart))]) {
    let least = Number.POSITIVE_INFINITY
    let status: unknown
    for (let n = 0; n < TRIES && least > HELD_MS / 2; n++) {
      await longest()
      status = await work()
      least = Math.min(least, await longest())
    }
    done++
    if (least > HELD_MS) bad++
    const line = `${kind} · ${shape.name} · ${name}: held ${least.toFixed(0)} ms (${status})\n`
    if (least > HELD_MS || process.env.HELD === 'all') process.stdout.write(line)
  }
}

/** For how long the loop was held at most since this was last asked, in milliseconds. */
async function longest(): Promise<number> {
  server.child.send('?')
  const [ms] = await once(server.child, 'message')
  return Number(ms)
}

/** All that is asked for a file: saved by hand, over the API, on the site. */
function fileTasks(text: string): Task[] {
  return [
    ['save by hand', () => saved(text)],
    ['read', () => asked('GET', RECORD)],
    ['list', () => asked('GET', '/api/cms/posts')],
    ['set the title', () => asked('PUT', RECORD, { title: `Title ${turn++}` })],
    ['set the tags', () => asked('PUT', RECORD, { tags: [`tag ${turn++}`] })],
    ['revisions', () => asked('GET', `${RECORD}/revisions`)],
    ['differences', differences],
    ['search', () => asked('GET', '/api/cms/search?q=word')],
    ['page', () => asked('GET', '/posts/held')],
    ['page of a list', () => asked('GET', '/posts')],
    ...around(),
    ['remove, and save anew', async () => [await asked('DELETE', RECORD), await saved(text)]],
  ]
}

function bodyTasks(text: string): Task[] {
  const [save = notThere(), ...others] = fileTasks(`---\ntitle: Body\n---\n\n${text}\n`)
  const short = text.slice(0, text.length * 0.6)
  const dotted = (lines: string[], rest: number) => lines.map((line, n) => (n % 3 === rest ? `${line}.` : line))
  const changed = (rest: number) => dotted(short.split('\n'), rest).join('\n')
  return [
    save,
    ['create', () => created(JSON.stringify({ title: 'New', body: text }))],
    ['set the body', () => asked('PUT', RECORD, { body: `${text}${turn++}` })],
    ['set other lines', () => asked('PUT', RECORD, { body: changed(turn++ % 3) })],
    ...others,
  ]
}

/** What the site makes of a text beside its page. Each is asked for after a change, since it is kept until then. */
function around(): Task[] {
  const paths = ['/posts/held.md', '/feed.xml', '/posts/rss.xml', '/posts/feed.json', '/llms.txt', '/sitemap.xml']
  return paths.map((path) => [
    path,
    async () => [await asked('PUT', RECORD, { title: `Title ${turn++}` }), await asked('GET', path)],
  ])
}

function siteTasks(text: string): Task[] {
  const [save = notThere()] = fileTasks(`---\ntitle: Site\ndate: 2026-01-01\n---\n\n${text}\n`)
  return [save, ['page', () => asked('GET', '/posts/held')], ...around()]
}

function requestTasks(text: string): Task[] {
  return [
    ['create', () => created(text)],
    ['create with a title', () => created(text.replace('{', '{"title":"New",'))],
    ['change', () => asked('PUT', '/api/cms/posts/other', text)],
    ['rename a term', () => asked('PATCH', '/api/cms/taxonomy/tags/a', text)],
  ]
}

function notThere(): never {
  throw new Error('A file is saved first.')
}

async function created(text: string): Promise<number> {
  const status = await asked('POST', '/api/cms/posts', text)
  if (status === 201) await asked('DELETE', '/api/cms/posts/new')
  return status
}

async function asked(method: string, path: string, sent?: object | string): Promise<number> {
  const body = typeof sent === 'object' ? JSON.stringify(sent) : sent
  try {
    const answer = await fetch(server.url + path, { method, headers, ...(body !== undefined && { body }) })
    await answer.arrayBuffer()
    return answer.status
  } catch {
    // What is too large is refused while it is sent.
    return 413
  }
}

/** Saves a file as an author does, and waits until the server knows of another that was saved with it. */
async function saved(text: string): Promise<number> {
  const title = `Other ${turn++}`
  writeFileSync(join(site.root, 'content/posts/held.md'), `${text}${turn}`)
  writeFileSync(join(site.root, 'content/posts/other.md'), `---\ntitle: ${title}\n---\n\nword\n`)
  for (let n = 0; n < 500; n++) {
    const answer = await fetch(`${server.url}/api/cms/posts/other`, { headers })
    if ((await answer.text()).includes(title)) break
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
  }
  return asked('GET', RECORD)
}

async function differences(): Promise<unknown> {
  const answer = await fetch(`${server.url}${RECORD}/revisions`, { headers })
  const { data = [] } = (await answer.json()) as { data?: { ts: string }[] }
  const statuses: number[] = []
  for (const { ts } of data.slice(0, 3)) statuses.push(await asked('GET', `${RECORD}/revisions/${ts}/diff`))
  return statuses
}
