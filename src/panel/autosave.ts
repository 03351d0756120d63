import type { Keeping } from './keeping.ts'

const REST_MS = 2000
const AGAIN_MS = 10_000
/** A request that outlives its page may have so many bytes. */
const MOST_OUTLIVING = 60_000
/** Ids of forms that one may take the place of, and its own. */
const MOST_IDS = 8

/** Names that the panel itself gives to fields. */
const OWN = /^(?:_csrf|_method|_form|_back|_from|base|do)$/

/** The answer to a request that keeps something. */
interface Answer {
  readonly kept_at?: string
  readonly message?: string
  readonly csrf?: string
}

/** Sends a form a moment after its author stopped to type, and again until it is kept. */
export class Autosave {
  readonly #form: HTMLFormElement
  readonly #keeping: Keeping
  readonly #addresses: string
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The form as the page came with it, as it was kept last, or as it was saved. */
  #known: string
  /** The form as it is being saved: the server saves it, or keeps it. */
  #sent: string | undefined
  #request: AbortController | undefined
  #isLeading = false

  /** `addresses` is what the addresses of the type's records begin with. */
  constructor(form: HTMLFormElement, keeping: Keeping, addresses: string) {
    this.#form = form
    this.#keeping = keeping
    this.#addresses = addresses
    // What was sent and not taken is on the page, and nowhere else where the server could not keep it.
    const isRefused = form.querySelector('[data-take-focus]') !== null
    this.#known = isRefused ? '' : this.#text()
    if (isRefused) this.#after(0)
    for (const name of ['input', 'change', 'editor-change']) form.addEventListener(name, () => this.#after(REST_MS))
    addEventListener('pagehide', () => this.#leave())
    addEventListener('pageshow', () => {
      this.#isLeading = false
    })
    addEventListener('beforeunload', (event) => {
      if (this.#isLeading) return
      const text = this.#text()
      if (text !== this.#known && (this.#keeping.isFailing || text.length > MOST_OUTLIVING)) event.preventDefault()
    })
    for (const name of ['focus', 'online']) addEventListener(name, () => this.#keeping.isFailing && void this.#keep())
  }

  /** Begins a save. What is typed from now on is kept as a form of its own, for the save takes away what was kept of this one. */
  begin(): string {
    clearTimeout(this.#timer)
    this.#request?.abort()
    const ids = this.#ids()
    if (ids) ids.value = [newId(), ...ids.value.split(' ')].slice(0, MOST_IDS).join(' ')
    this.#sent = this.#text()
    return this.#sent
  }

  /** Returns whether the form is as it was when a save began. */
  isAt(text: string): boolean {
    return this.#text() === text
  }

  /** True while the form is as it came, as it was saved, or as it was kept. */
  get isKnown(): boolean {
    return this.isAt(this.#known)
  }

  /** Ends a save that was taken: `isTyped` says whether something was typed meanwhile, which is kept at once. */
  saved(isTyped: boolean): void {
    this.#end(isTyped ? '' : this.#text())
    const ids = this.#ids()
    if (ids) ids.value = ids.value.split(' ', 1).join('')
    if (isTyped) this.#after(0)
  }

  /** Ends a save that was refused: what was sent is kept. */
  kept(text: string): void {
    this.#end(text)
    if (!this.isAt(text)) this.#after(0)
  }

  /** Ends a save that was not answered. */
  keepNow(): void {
    this.#end(this.#known)
    void this.#keep()
  }

  sessionOver(): void {
    this.#end(this.#known)
    this.#keeping.sessionOver()
    this.#keeping.focus()
    this.#after(AGAIN_MS)
  }

  /** Lets the page go: what was sent is saved or kept, and nothing asks for it. */
  lead(text: string): void {
    this.#end(text)
    this.#isLeading = true
  }

  /** Takes over the proof of the session of now. */
  renew(csrf: string): void {
    for (const field of document.querySelectorAll<HTMLInputElement>('[name=_csrf]')) field.value = csrf
    document.querySelector('meta[name=csrf]')?.setAttribute('content', csrf)
  }

  /** Finds what a page offers of this very form, which is here already. */
  offersIn(page: ParentNode): Element[] {
    const ids = this.#ids()?.value.split(' ') ?? []
    const links = [...page.querySelectorAll('.notice a')].filter((link) =>
      ids.some((id) => link.getAttribute('href')?.includes(`form=${id}`)),
    )
    return links.flatMap((link) => {
      const notice = link.closest('.notice')
      const one = notice?.querySelectorAll('a').length === 1 ? notice : link.closest('li')
      return one ?? []
    })
  }

  #end(known: string): void {
    this.#known = known
    this.#sent = undefined
  }

  #after(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#keep(), milliseconds)
  }

  #text(): string {
    const base = String(new FormData(this.#form).get('base') ?? '')
    return JSON.stringify({ fields: this.#pairs(), base })
  }

  #pairs(): [string, string][] {
    return [...new FormData(this.#form)].flatMap(([name, value]): [string, string][] =>
      typeof value !== 'string' || OWN.test(name) ? [] : [[name, value]],
    )
  }

  #ids(): HTMLInputElement | null {
    return this.#form.querySelector<HTMLInputElement>('input[name=_form]')
  }

  async #keep(): Promise<void> {
    clearTimeout(this.#timer)
    const text = this.#text()
    if (this.#isLeading || ((text === this.#known || text === this.#sent) && !this.#keeping.isFailing)) return
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
    if (answer?.ok && said.kept_at !== undefined) {
      this.#known = text
      this.#keeping.kept(said.kept_at)
      return
    }
    // Its author has signed in anew: the answer has the proof of the session of now.
    if (said.csrf !== undefined) {
      this.renew(said.csrf)
      return this.#keep()
    }
    if (answer?.status === 401) this.#keeping.sessionOver()
    else if (answer && answer.status < 500 && answer.status !== 429) this.#keeping.refused(said.message ?? '')
    else this.#keeping.failed(answer ? 'the server does not answer as it should' : 'no connection')
    this.#after(AGAIN_MS)
  }

  /** Sends a text with the ids of its form: two of one record are kept beside each other. */
  #send(text: string, signal?: AbortSignal): Promise<Response> {
    const address = this.#addresses + encodeURIComponent(this.#form.dataset.record || 'new')
    return fetch(address, {
      method: 'PUT',
      body: JSON.stringify({ ...JSON.parse(text), form: this.#ids()?.value }),
      ...(signal ? { signal } : { keepalive: true }),
      headers: { 'content-type': 'application/json', accept: 'application/json', 'x-csrf-token': this.#token() },
    })
  }

  #token(): string {
    return this.#form.querySelector<HTMLInputElement>('[name=_csrf]')?.value ?? ''
  }

  #leave(): void {
    const text = this.#text()
    if (text === this.#known || text === this.#sent || text.length > MOST_OUTLIVING) return
    void this.#send(text).catch(() => undefined)
  }
}

function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
