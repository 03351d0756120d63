import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { CMS, until } from '#support/cli.ts'

const CHECKOUT = dirname(dirname(CMS))
const README = readFileSync(join(CHECKOUT, 'README.md'), 'utf8')
const HAS_SHELL = ['bash', 'curl', 'git'].every((name) => spawnSync(name, ['--version']).status === 0)

/** The commands of a section of the README, one text for each terminal. */
function terminalsOf(section: string): string[] {
  const [, words = ''] = README.split(`## ${section}\n`)
  const [own = ''] = words.split('\n## ')
  return [...own.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands = '']) => commands)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A shell in the checkout, as a person has it: aliases work, and what fails ends it. */
function terminal(commands: string, home: string, port: number) {
  const { CI, NODE_OPTIONS, HOST, ...env } = process.env
  const script = `shopt -s expand_aliases\nset -e -o pipefail\n${commands.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)}`
  const child = spawn('bash', ['-s'], { cwd: CHECKOUT, env: { ...env, HOME: home, PORT: String(port) }, detached: true })
  child.stdin.end(script)
  const ended = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? 1)))
  return { child, done: Promise.all([ended, text(child.stdout), text(child.stderr)]) }
}

function homeOf(t: Test): string {
  const home = mkdtempSync(join(tmpdir(), 'quire-tour-'))
  t.teardown(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }))
  return home
}

t.test("the README's tour runs as it is written, and leaves the checkout alone", { skip: !HAS_SHELL }, async (t) => {
  const state = () => spawnSync('git', ['log', '-1', '--format=%H'], { cwd: CHECKOUT, encoding: 'utf8' }).stdout
  const before = state()
  const [first = '', second = '', ...others] = terminalsOf('A tour in a minute')
  t.strictSame(others, [])
  const [install, ...rest] = first.split('\n')
  t.equal(install, 'npm install && npm run build', 'what was done before any test')

  const [home, port] = [homeOf(t), await freePort()]
  const server = terminal(rest.join('\n'), home, port)
  const note = join(home, 'quire-tour/.cms/server.json')
  await until(
    async () => existsSync(note) && (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.status === 200,
    (answers) => answers,
  )
  const { pid } = JSON.parse(readFileSync(note, 'utf8'))
  t.teardown(async () => {
    process.kill(pid, 'SIGTERM')
    await server.done
  })

  const [code, out, err] = await terminal(second, home, port).done
  t.equal(code, 0, err)
  t.match(out, /"title":"Hello, world"/, 'what is live was read')
  t.match(out, /"id":"hello"/, 'a record was made')
  t.match(out, /^title: Hello\nstatus: published$/m, 'its file was shown')
  t.match(out, /updated \*.*\n.*created/, 'and its history')
  t.match(out, /^\+Hello again$/m, 'and its change')
  t.ok(existsSync(join(home, 'quire-tour/public/blog/hello/index.html')))
  t.notOk(existsSync(join(home, 'quire-tour/content/posts/hello.md')), 'and it was deleted')
  t.equal(state(), before)
})
