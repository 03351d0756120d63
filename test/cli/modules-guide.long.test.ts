import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { cms, type Running, scratchSite, start } from '#support/cli.ts'
import { testDatabase } from '#support/postgres.ts'

const GUIDE = readFileSync(fileURLToPath(new URL('../../docs/modules.md', import.meta.url)), 'utf8')

/** A step of the guide: a file to write, lines to add to one, or a request with the JSON that is shown after it. */
type Step = { does: 'write' | 'add'; file: string; text: string } | { does: 'ask'; request: string; wanted: unknown }

/** Reads the tutorial: what stands under "Write one", in its order. */
function steps(): Step[] {
  const [, tutorial = ''] = /## Write one\n([\s\S]*?)\n## /.exec(GUIDE) ?? []
  const found = tutorial.matchAll(/(?:`([\w./-]+)`(, added)?:\n\n)?```(\w+)\n([\s\S]*?)```/g)
  const all: Step[] = []
  for (const [, file, added, language, text = ''] of found) {
    const last = all.at(-1)
    if (file !== undefined) all.push({ does: added ? 'add' : 'write', file, text })
    else if (language === 'sh') all.push({ does: 'ask', request: text, wanted: undefined })
    else if (language === 'json' && last?.does === 'ask') last.wanted = JSON.parse(text)
  }
  return all
}

/** Does the request of a line with curl; `$URL` and `$TOKEN` are as in the shell. */
async function ask(line: string, url: string, token: string): Promise<unknown> {
  const text = line.replaceAll('$URL', url).replaceAll('$TOKEN', token)
  const [, method = 'GET'] = /-X (\w+)/.exec(text) ?? []
  const [, body] = /-d '([^']*)'/.exec(text) ?? []
  const [, address = ''] = /"(http[^"]*)"/.exec(text) ?? []
  const headers = [...text.matchAll(/-H ["']([\w-]+): ([^"']*)["']/g)].map(([, name = '', value = '']): [string, string] => [
    name,
    value,
  ])
  const answer = await fetch(address, { method, headers, ...(body !== undefined && { body }) })
  return answer.json()
}

/** Returns an answer as the guide shows it: what it leaves out is left out, and `…` stands for anything. */
function asShown(shown: unknown, found: unknown): unknown {
  if (shown === '…') return typeof found === 'string' && found !== '' ? '…' : found
  if (Array.isArray(shown)) return Array.isArray(found) ? found.map((one, n) => asShown(shown[n], one)) : found
  if (typeof shown !== 'object' || shown === null || typeof found !== 'object' || found === null) return found
  const entries = Object.entries(shown).map(([name, value]) => [name, asShown(value, (found as Record<string, unknown>)[name])])
  return Object.fromEntries(entries)
}

async function follow(t: Test, config: string, env: Record<string, string>): Promise<void> {
  const root = scratchSite(t, { 'content/posts/first.md': '---\ntitle: First\n---\n' })
  const token = async () => (await cms(['token:create', '--name', 'me', '--scope', 'admin'], { cwd: root, env })).stdout.trim()
  let running: Running | undefined
  let [url, secret, renewals] = ['', '', 0]
  let isNew = false
  const serve = async () => {
    if (!running) {
      secret = await token()
      running = start(['serve', '--port', '0'], { cwd: root, env })
      t.teardown(() => running?.process.kill('SIGKILL'))
      url = (await running.says(/^Listening on (http:\/\/127\.0\.0\.1:\d+)\n/))[1] ?? ''
    } else if (isNew) {
      running.process.kill('SIGHUP')
      renewals++
      await running.says(new RegExp(`(?:goes on with the site as it is now[^]*){${renewals}}`), 'stderr')
    }
    isNew = false
  }
  for (const step of steps()) {
    if (step.does === 'ask') {
      await serve()
      const answer = await ask(step.request, url, secret)
      t.strictSame(asShown(step.wanted, answer), step.wanted, step.request)
      continue
    }
    const file = join(root, step.file)
    mkdirSync(dirname(file), { recursive: true })
    const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
    const added = before.replace(/( {2}collections: .*\n)/, `$1${step.text}`)
    if (step.does === 'add') t.not(added, before)
    writeFileSync(file, step.does === 'add' ? added : step.file === 'cms.config.yaml' ? step.text + config : step.text)
    isNew = true
  }
  isNew = true
  await serve()
  const doctor = await cms(['doctor', '--json'], { cwd: root, env })
  t.match(doctor.stdout, /On: contacts 1\.1\.0\./)
}

t.test('the guide works as it is written, on files', async (t) => {
  t.ok(steps().length >= 10)
  await follow(t, '', {})
})

t.test('and in a database', async (t) => {
  const env = { DATABASE_URL: await testDatabase(t), CMS_SECRET: 'a secret that is long enough to be one' }
  await follow(t, 'storage: { driver: postgres }\n', env)
})
