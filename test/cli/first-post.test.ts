import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { cms, scratchSite, start } from '#support/cli.ts'
import { formIn } from '#support/page-form.ts'

/** A browser without scripts: it keeps cookies, sends the forms of pages, and follows where it is led. */
class Visitor {
  readonly #url: string
  readonly #jar = new Map<string, string>()

  constructor(url: string) {
    this.#url = url
  }

  async get(path: string): Promise<string> {
    return (await this.#ask(path, {})).html
  }

  /** Fills in the form of a page and sends it; returns the page that it leads to. */
  async send(page: string, action: string, typed: Record<string, string>): Promise<{ html: string; path: string }> {
    const form = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...formIn(await this.get(page), action), ...typed }))
      for (const one of [value].flat()) form.append(name, one)
    return this.#ask(action, { method: 'POST', body: form, headers: { origin: this.#url } })
  }

  async #ask(path: string, init: RequestInit): Promise<{ html: string; path: string }> {
    const cookie = [...this.#jar].map((pair) => pair.join('=')).join('; ')
    const answer = await fetch(this.#url + path, { ...init, headers: { ...init.headers, cookie }, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=')
      this.#jar.set(name, value)
    }
    const to = answer.headers.get('location')
    if (to !== null) return this.#ask(to, {})
    return { html: await answer.text(), path }
  }
}

t.test('on the site of init, the first owner writes a first post, and check finds nothing wrong', async (t) => {
  const root = scratchSite(t, {})
  await cms(['init'], { cwd: root })
  const running = start(['serve', '--port', '0'], { cwd: root })
  t.teardown(() => running.process.kill('SIGKILL'))
  const [, url = ''] = await running.says(/^Listening on (http:\/\/127\.0\.0\.1:\d+)\n/)
  const [setup] = await running.says(/\/admin\/setup\/[\w-]{43}/, 'stderr')
  const visitor = new Visitor(url)
  await visitor.send(setup, setup, { name: 'Ada Lovelace', email: 'ada@example.org' })
  const made = await visitor.send('/admin/content/posts/create', '/admin/content/posts', { title: 'My first', do: 'published' })
  t.match(made.path, /^\/admin\/content\/posts\/my-first\/edit/)
  const again = await visitor.send(made.path, '/admin/content/posts/my-first', { title: 'My very first', do: 'save' })
  t.match(again.html, /Saved|public/)
  t.match(readFileSync(join(root, 'content/posts/my-first.md'), 'utf8'), /^author: ada-lovelace$/m)
  writeFileSync(join(root, 'content/posts/slip.md'), '---\ntitle: Slip\nauthor: mee\n---\n')
  const checked = await cms(['check'], { cwd: root })
  t.match(checked, {
    code: 0,
    stdout: '',
    stderr:
      /posts: authors who have no record in authors: ada-lovelace \(1\), mee \(1; did you mean me\?\)\. The handle of a user needs none/,
  })
  running.process.kill('SIGTERM')
  await running.done
})
