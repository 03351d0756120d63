import { get } from 'node:http'
import t, { type Test } from 'tap'
import { cms, type Running, scratchSite, start, until } from '#support/cli.ts'

const CONFIG = 'types: { posts: {} }\nfeatures: { events: true }\n'
const FILES = { 'cms.config.yaml': CONFIG, 'content/posts/first.md': '---\ntitle: First\n---\n' }

t.test('publish:due says that nothing is due', async (t) => {
  const root = scratchSite(t, { 'cms.config.yaml': '', 'content/posts/old.md': '---\ntitle: Old\ndate: 2020-01-01\n---\n' })
  t.match(await cms(['publish:due'], { cwd: root }), { code: 0, stdout: '', stderr: /Nothing is due\./ })
  t.match(JSON.parse((await cms(['publish:due', '--json'], { cwd: root })).stdout), { ok: true, data: [] })
})

t.test('publish:due says where events are off', async (t) => {
  const root = scratchSite(t, { 'cms.config.yaml': 'features: { events: false }\n', 'content/a.md': '---\ntitle: A\n---\n' })
  t.match(await cms(['publish:due'], { cwd: root }), { code: 4, stderr: /switched off[\s\S]*fix: Set/ })
})

async function serve(t: Test, root: string): Promise<{ running: Running; url: string }> {
  const running = start(['serve', '--port', '0'], { cwd: root })
  t.teardown(() => running.process.kill('SIGKILL'))
  const [, url = ''] = await running.says(/^Listening on (http:\/\/127\.0\.0\.1:\d+)\n/)
  return { running, url }
}

/** A client of the stream: the types and ids it was told, in order, by the ids of the events. */
class Client {
  readonly told: { id: string; what: string }[] = []
  resets = 0

  static async listen(t: Test, url: string, token: string, last?: string): Promise<Client> {
    const client = new Client()
    const headers = { authorization: `Bearer ${token}`, ...(last !== undefined && { 'last-event-id': last }) }
    await new Promise<void>((resolve) => {
      const asked = get(`${url}/api/events`, { headers, agent: false }, (answer) => {
        let rest = ''
        answer.setEncoding('utf8').on('error', () => undefined)
        answer.on('data', (text: string) => {
          const parts = (rest + text).split('\n\n')
          rest = parts.pop() ?? ''
          for (const part of parts) client.#take(part)
        })
        resolve()
      })
      asked.on('error', () => undefined)
      t.teardown(() => asked.destroy())
    })
    return client
  }

  /** Resolves with what was told, once the last of it is of this record. */
  async upTo(id: string): Promise<string[]> {
    await until(
      async () => this.told.map(({ what }) => what),
      (told) => told.some((what) => what.endsWith(` ${id}`)),
    )
    return this.told.map(({ what }) => what)
  }

  #take(part: string): void {
    if (part.startsWith('event: reset')) this.resets++
    const [, data] = /^data: (.+)$/m.exec(part) ?? []
    if (data === undefined || !part.includes('\nid: ')) return
    const event = JSON.parse(data)
    this.told.push({ id: event.id, what: `${event.type} ${event.data.id}` })
  }
}

async function tokenOf(root: string): Promise<string> {
  return (await cms(['token:create', '--name', 'ci', '--scope', 'edit'], { cwd: root })).stdout.trim()
}

t.test('publish:due beside a server leaves all to it: nothing is told twice, and nothing is lost', async (t) => {
  const root = scratchSite(t, FILES)
  const token = await tokenOf(root)
  const { url } = await serve(t, root)
  const client = await Client.listen(t, url, token)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const write = async (title: string) => {
    const made = await fetch(`${url}/api/cms/posts`, { method: 'POST', headers, body: JSON.stringify({ title }) })
    t.equal(made.status, 201)
  }
  for (const nth of [1, 2, 3]) {
    await write(`Before ${nth}`)
    t.match(await cms(['publish:due'], { cwd: root }), { code: 0, stderr: /A server runs on the site/ })
    await write(`After ${nth}`)
  }
  t.same(
    await client.upTo('after-3'),
    [1, 2, 3].flatMap((nth) => [`record.created before-${nth}`, `record.created after-${nth}`]),
  )
  t.equal(client.resets, 0)
})

t.test('what commands write between two runs of publish:due is told, once, to who comes later', async (t) => {
  const root = scratchSite(t, FILES)
  const token = await tokenOf(root)
  const make = (title: string) => cms(['new', 'posts', title], { cwd: root })
  const before = await serve(t, root)
  const first = await Client.listen(t, before.url, token)
  await make('Zero')
  await first.upTo('zero')
  before.running.process.kill('SIGTERM')
  await before.running.done
  for (const title of ['One', 'Two', 'Three']) {
    await make(title)
    t.match(await cms(['publish:due'], { cwd: root }), { code: 0, stderr: /Nothing is due/ })
  }
  await make('Four')
  const { url } = await serve(t, root)
  const later = await Client.listen(t, url, token, first.told.at(-1)?.id)
  t.same(
    await later.upTo('four'),
    ['one', 'two', 'three', 'four'].map((id) => `record.created ${id}`),
  )
  t.equal(later.resets, 0)
})
