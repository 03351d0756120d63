import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BrowserPage, type Chromium, type ContextOptions, startChromium } from '#support/chromium.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** What `npm run build` makes for browsers, and what goes with it. */
const [SCRIPTS, STYLES] = [join(ROOT, 'dist/panel'), join(ROOT, 'templates/admin/assets/editor.css')]

/** The policy of the panel's pages. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** The records that a search finds. */
const RECORDS = [
  { title: 'Tide tables', url: '/blog/tide-tables' },
  { title: 'Elbe [locks]', url: '/boats/elbe locks' },
]

/** A page with an editor, and what went wrong on it. */
export interface Opened {
  readonly page: BrowserPage
  /** What the browser complained of. */
  readonly errors: string[]
  /** The text that the form would send. */
  text(): Promise<string>
  /** Sends the form, and returns the body that the server got. */
  submit(): Promise<string>
  /** Gives the page back for others that begin alike. */
  close(): Promise<void>
}

/** A page that waits to be used again: a browser takes its time for a new one. */
interface IdlePage {
  readonly page: BrowserPage
  errors: string[]
}

/** How a page begins. */
export interface Opening {
  readonly mode?: 'rich' | 'source' | 'plain'
  readonly javaScriptEnabled?: boolean
  readonly colorScheme?: 'light' | 'dark'
  readonly viewport?: { width: number; height: number }
  readonly enctype?: string
  /** The address of the editor's script. */
  readonly script?: string
}

/** A server of pages as the panel's, with a real browser before it. */
export class Editing {
  readonly #browser: Chromium
  readonly #server = createServer((request, response) => this.#answer(request, response))
  readonly #idle = new Map<string, IdlePage[]>()
  #page = ''
  #received = ''

  static async start(): Promise<Editing> {
    const editing = new Editing(await startChromium())
    await new Promise<void>((resolve) => editing.#server.listen(0, '127.0.0.1', resolve))
    return editing
  }

  private constructor(browser: Chromium) {
    this.#browser = browser
  }

  async close(): Promise<void> {
    await this.#browser.close()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Opens a page whose form has a text, or several, and waits for its editors. */
  async open(text: string | readonly string[], opening: Opening = {}): Promise<Opened> {
    const { mode = 'rich', viewport = { width: 1000, height: 800 }, enctype, script = '/editor.js', ...others } = opening
    const texts = [text].flat()
    this.#page = pageOf(texts, mode, script, enctype)
    const idle = this.#idleLike({ viewport, ...others })
    const used = idle.pop() ?? (await this.#newPage({ viewport, ...others }))
    const { page } = used
    const errors: string[] = []
    used.errors = errors
    await page.goto(this.#address('/'))
    if (mode !== 'plain' && script === '/editor.js' && opening.javaScriptEnabled !== false) {
      await page.waitForFunction((count) => document.querySelectorAll('.cm-content').length === count, texts.length)
    }
    return {
      page,
      errors,
      text: () => page.evaluate(() => String(new FormData(document.forms[0] as HTMLFormElement).get('body'))),
      submit: async () => {
        this.#received = ''
        await page.click('#save')
        await page.waitForSelector('#saved')
        return this.#received
      },
      close: async () => void idle.push(used),
    }
  }

  #idleLike(options: ContextOptions): IdlePage[] {
    const key = JSON.stringify(options)
    const known = this.#idle.get(key) ?? []
    this.#idle.set(key, known)
    return known
  }

  async #newPage(options: ContextOptions): Promise<IdlePage> {
    const context = await this.#browser.newContext(options)
    const used: IdlePage = { page: await context.newPage(), errors: [] }
    used.page.on('console', (message) => {
      if (/error|warning/.test(message.type())) used.errors.push(message.text())
    })
    used.page.on('pageerror', (error) => used.errors.push(String(error)))
    return used
  }

  #address(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts)
    const send = (type: string, content: string | Buffer, status = 200): void =>
      void response.writeHead(status, { 'content-type': type, 'content-security-policy': POLICY }).end(content)
    if (pathname === '/') return send('text/html; charset=utf-8', this.#page)
    if (pathname === '/save') {
      this.#received = body.toString('utf8')
      return send('text/html', '<!doctype html><title>Saved</title><p id=saved>Saved')
    }
    if (/^\/(?:panel|editor)\.js$/.test(pathname)) return send('text/javascript', readFileSync(join(SCRIPTS, pathname)))
    if (pathname === '/editor.css') return send('text/css', readFileSync(STYLES))
    if (pathname === '/picture.png') return send('image/png', PICTURE)
    if (pathname === '/media') return this.#upload(request, body, send)
    if (pathname === '/records') {
      const query = (searchParams.get('q') ?? '').toLowerCase()
      const data = RECORDS.filter(({ title }) => title.toLowerCase().includes(query))
      return send('application/json', JSON.stringify({ data }))
    }
    return send('text/plain', 'There is no such page.', pathname === '/favicon.ico' ? 204 : 404)
  }

  #upload(request: IncomingMessage, body: Buffer, send: (type: string, content: string, status?: number) => unknown): unknown {
    const [, name = ''] = /filename="([^"]*)"/.exec(body.toString('latin1')) ?? []
    if (request.headers['x-csrf-token'] !== 'token') return send('application/json', '{"message":"the token is missing."}', 403)
    if (name.startsWith('bad')) return send('application/json', '{"message":"it is too large."}', 413)
    return send('application/json', JSON.stringify({ url: '/picture.png', alt: name.replace(/\.\w+$/, '') }))
  }
}

function pageOf(texts: readonly string[], mode: string, script: string, enctype = 'application/x-www-form-urlencoded'): string {
  return `<!doctype html><html lang=en><meta charset=utf-8><title>Edit</title><link rel=icon href="data:,"><link rel=stylesheet href=/editor.css>
<script type=module src=/panel.js></script>
<form method=post action=/save enctype=${enctype}><input type=hidden name=_csrf value=token>
<p><button id=before type=button>Before</button></p>
${texts.map((text, index) => fieldOf(text, mode, script, index === 0 ? '' : String(index))).join('\n')}
<p><button id=save>Save</button></p></form></html>`
}

function fieldOf(text: string, mode: string, script: string, suffix: string): string {
  const shown = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<div data-toolbar role=toolbar aria-label=Formatting aria-controls=f-body${suffix}></div>
<label for=f-body${suffix} id=f-body${suffix}-label>Text</label>
<textarea id=f-body${suffix} name=body${suffix} autocomplete=off data-editor data-mode=${mode} data-editor-url=${script} data-upload=/media data-records=/records>
${shown}</textarea>`
}
