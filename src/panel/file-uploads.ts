import { speak } from './page-parts.ts'

/** The result of one file: its id, or the reason why it was not taken. */
type Sent = { readonly id: string } | { readonly name: string; readonly fault: string }

/**
 * Sends the files of the form to upload one after the other, and tells how far they are; without a script the form sends them all at
 * once. Files that are dropped on the page are sent as well.
 */
export function serveFileUploads(page: Document): void {
  const form = page.querySelector<HTMLFormElement>('[data-upload] form')
  const chosen = form?.querySelector<HTMLInputElement>('input[type="file"]')
  const place = page.getElementById('uploads')
  if (!form || !chosen || !place) return
  const uploads = new FileUploads(page, form, place)
  form.addEventListener('submit', (event) => {
    const files = [...(chosen.files ?? [])]
    if (files.length === 0) return
    event.preventDefault()
    form.closest('details')?.removeAttribute('open')
    void uploads.send(files)
  })
  page.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  })
  page.addEventListener('drop', (event) => {
    const files = [...(event.dataTransfer?.files ?? [])]
    if (files.length === 0) return
    event.preventDefault()
    void uploads.send(files)
  })
}

/** The uploads of a page: one at a time, with a notice that says which. */
class FileUploads {
  readonly #page: Document
  readonly #form: HTMLFormElement
  readonly #place: HTMLElement
  #isBusy = false

  constructor(page: Document, form: HTMLFormElement, place: HTMLElement) {
    this.#page = page
    this.#form = form
    this.#place = place
  }

  async send(files: readonly File[]): Promise<void> {
    if (this.#isBusy) return speak(this.#page, 'Wait for the files that are being uploaded.')
    this.#isBusy = true
    const results: Sent[] = []
    for (const [n, file] of files.entries()) {
      const of = files.length === 1 ? 'Uploading.' : `Uploading ${n + 1} of ${files.length}.`
      this.#tell('plain', of, file.name)
      results.push(await this.#one(file, (percent) => this.#tell('plain', of, `${file.name} is at ${percent} %.`)))
    }
    this.#isBusy = false
    this.#end(results)
  }

  #end(results: readonly Sent[]): void {
    const faults = results.flatMap((one) => ('fault' in one ? [`${one.name}: ${one.fault}`] : []))
    const made = results.flatMap((one) => ('id' in one ? [one.id] : []))
    const list = new URL(this.#form.action)
    const folder = this.#text('folder').replaceAll(/^\/+|\/+$/g, '')
    // What it had is sent: nothing is lost with it.
    this.#form.reset()
    if (faults.length === 0 && made.length === 1) {
      location.assign(`${list.pathname}/${encodeURIComponent(made[0] ?? '')}/edit?done=uploaded`)
      return
    }
    if (faults.length === 0) {
      if (folder !== '') list.searchParams.set('folder', `${folder}/*`)
      list.searchParams.set('done', 'uploaded-all')
      location.assign(list)
      return
    }
    const links = made.map((id) => ({
      text: `${id.replaceAll('~', '/')} was taken`,
      url: `${list.pathname}/${encodeURIComponent(id)}/edit`,
    }))
    this.#tell('bad', 'Not all was taken.', faults.join(' '), links)
  }

  #one(file: File, told: (percent: number) => void): Promise<Sent> {
    const body = new FormData()
    body.set('folder', this.#text('folder'))
    body.set('file', file)
    // fetch does not say how much was sent.
    const request = new XMLHttpRequest()
    request.open('POST', this.#form.action)
    request.setRequestHeader('accept', 'application/json')
    request.setRequestHeader('x-csrf-token', this.#text('_csrf'))
    request.upload.addEventListener('progress', ({ loaded, total }) => told(Math.floor((100 * loaded) / Math.max(1, total))))
    return new Promise((resolve) => {
      const fail = (fault: string) => resolve({ name: file.name, fault })
      request.addEventListener('load', () => {
        const { id, message } = answerIn(request.responseText)
        if (typeof id === 'string') resolve({ id })
        else fail(typeof message === 'string' ? message : `The server answered ${request.status}.`)
      })
      request.addEventListener('error', () => fail('The connection was lost. Send it again.'))
      request.send(body)
    })
  }

  #text(name: string): string {
    const value = new FormData(this.#form).get(name)
    return typeof value === 'string' ? value : ''
  }

  #tell(tone: 'plain' | 'bad', title: string, text: string, links: readonly { text: string; url: string }[] = []): void {
    const page = this.#page
    const [notice, words, line, strong] = [
      page.createElement('div'),
      page.createElement('div'),
      page.createElement('p'),
      page.createElement('b'),
    ]
    notice.className = `notice ${tone}`
    strong.textContent = title
    line.append(strong, ` ${text}`)
    words.append(line)
    if (links.length > 0) {
      const list = page.createElement('ul')
      for (const { text, url } of links) {
        const [item, link] = [page.createElement('li'), page.createElement('a')]
        link.href = url
        link.textContent = text
        item.append(link)
        list.append(item)
      }
      words.append(list)
    }
    notice.append(words)
    this.#place.replaceChildren(notice)
  }
}

function answerIn(text: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(text)
    return typeof found === 'object' && found !== null ? { ...found } : {}
  } catch {
    return {}
  }
}
