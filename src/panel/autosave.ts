import { Keeping } from './keeping.ts'
import { isRedrawing } from './redrawing.ts'

const REST_MS = 2000
const AGAIN_MS = 10_000
/** A request that outlives its page may have so many bytes. */
const MOST_OUTLIVING = 60_000

/** Keeps what is typed into the form of a record, until it is saved. */
export function keepRecord(page: Document): void {
  const form = page.querySelector<HTMLFormElement>('form[data-record]')
  const place = form?.querySelector<HTMLElement>('[data-keeping]')
  const type = /^\/admin\/content\/([^/]+)/.exec(location.pathname)?.[1]
  if (!form || !place || type === undefined || !form.querySelector('button.say')) return
  new Autosave(form, new Keeping(place), `/admin/autosave/${type}/${encodeURIComponent(form.dataset.record || 'new')}`)
}

/** Names that the panel itself gives to fields. */
const OWN = /^(?:_csrf|_method|_form|_back|_from|base|do)$/

/** The answer to a request that keeps something. */
interface Answer {
  readonly kept_at?: string
  readonly message?: string
  readonly csrf?: string
}

/** Sends a form a moment after its author stopped to type, and again until it is kept. */
class Autosave {
  readonly #form: HTMLFormElement
  readonly #keeping: Keeping
  readonly #address: string
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The form as the page came with it, or as it was kept last. */
  #known: string
  #request: AbortController | undefined
  #isOver = false
  #isSaving = false

  constructor(form: HTMLFormElement, keeping: Keeping, address: string) {
    this.#form = form
    this.#keeping = keeping
    this.#address = address
    // What was sent and not taken is on the page, and nowhere else.
    const isRefused = form.querySelector('[data-take-focus]') !== null
    this.#known = isRefused ? '' : this.#text()
    if (isRefused) this.#after(0)
    for (const name of ['input', 'change', 'editor-change']) form.addEventListener(name, () => this.#typed())
    form.addEventListener('submit', (event) => this.#submit(event))
    addEventListener('pagehide', () => this.#leave())
    addEventListener('pageshow', () => {
      this.#isSaving = false
    })
    addEventListener('beforeunload', (event) => {
      if (this.#isSaving) return
      const text = this.#text()
      if (text !== this.#known && (this.#keeping.isFailing || text.length > MOST_OUTLIVING)) event.preventDefault()
    })
    for (const name of ['focus', 'online']) addEventListener(name, () => this.#keeping.isFailing && void this.#keep())
  }

  #typed(): void {
    this.#after(REST_MS)
  }

  #after(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#keep(), milliseconds)
  }

  #text(): string {
    const base = String(new FormData(this.#form).get('base') ?? '')
    return JSON.stringify({ fields: this.#pairs(), base })
  }

  /** The text to keep, with the ids of its form: two of one record are kept beside each other. */
  #body(text: string): string {
    const form = this.#form.querySelector<HTMLInputElement>('[name=_form]')?.value
    return JSON.stringify({ ...JSON.parse(text), form })
  }

  #pairs(): [string, string][] {
    return [...new FormData(this.#form)].flatMap(([name, value]): [string, string][] =>
      typeof value !== 'string' || OWN.test(name) ? [] : [[name, value]],
    )
  }

  async #keep(): Promise<void> {
    clearTimeout(this.#timer)
    const text = this.#text()
    if (this.#isSaving || (text === this.#known && !this.#keeping.isFailing)) return
    this.#request?.abort()
    const request = new AbortController()
    this.#request = request
    const answer = await this.#send(text, request.signal).catch(() => undefined)
    if (request.signal.aborted) return
    this.#request = undefined
    await this.#take(answer, text)
  }

  async #take(answer: Response | undefined, text: string): Promise<void> {
    const said: Answer = (await answer?.json().catch(() => undefined)) ?? {}
    this.#isOver = answer?.status === 401
    if (answer?.ok && said.kept_at !== undefined) {
      this.#known = text
      this.#keeping.kept(said.kept_at)
      return
    }
    // Its author has signed in anew: the answer has the proof of the session of now.
    if (said.csrf !== undefined) {
      this.#renew(said.csrf)
      return this.#keep()
    }
    if (this.#isOver) this.#keeping.sessionOver()
    else if (answer && answer.status < 500 && answer.status !== 429) this.#keeping.refused(said.message ?? '')
    else this.#keeping.failed(answer ? 'the server does not answer as it should' : 'no connection')
    this.#after(AGAIN_MS)
  }

  #send(text: string, signal?: AbortSignal): Promise<Response> {
    return fetch(this.#address, {
      method: 'PUT',
      body: this.#body(text),
      ...(signal ? { signal } : { keepalive: true }),
      headers: { 'content-type': 'application/json', accept: 'application/json', 'x-csrf-token': this.#token() },
    })
  }

  #token(): string {
    return this.#form.querySelector<HTMLInputElement>('[name=_csrf]')?.value ?? ''
  }

  #renew(csrf: string): void {
    for (const field of document.querySelectorAll<HTMLInputElement>('[name=_csrf]')) field.value = csrf
    document.querySelector('meta[name=csrf]')?.setAttribute('content', csrf)
  }

  /** A save is what all this is for: nothing is kept beside it. Where the session is over, it would lead away from the text. */
  #submit(event: SubmitEvent): void {
    if (event.defaultPrevented || isRedrawing(event.submitter)) return
    if (this.#isOver) {
      event.preventDefault()
      this.#keeping.sessionOver()
      this.#keeping.focus()
      void this.#keep()
      return
    }
    this.#isSaving = true
    clearTimeout(this.#timer)
    this.#request?.abort()
  }

  #leave(): void {
    const text = this.#text()
    if (this.#isSaving || text === this.#known || text.length > MOST_OUTLIVING) return
    void this.#send(text).catch(() => undefined)
  }
}
