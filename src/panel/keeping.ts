/** A save that takes longer is told of. */
const SOON_MS = 400

/** Says whether what was typed is kept. */
export class Keeping {
  readonly #place: HTMLElement
  isFailing = false

  constructor(place: HTMLElement) {
    this.#place = place
  }

  /** Says when it was kept: only what an answer said is said. */
  kept(at: string): void {
    // The clocks of the site, as on all pages.
    const zone = document.documentElement.dataset.zone
    const form = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...(zone && { timeZone: zone }) } as const
    const time = new Intl.DateTimeFormat(undefined, form).format(new Date(at))
    this.#say(`Kept ${time}, not saved yet`, false)
  }

  failed(reason: string): void {
    this.#say(`Not kept: ${reason}. Trying again`, true)
  }

  refused(message: string): void {
    this.#say(`Not kept: ${message}`, true)
  }

  sessionOver(): void {
    const link = document.createElement('a')
    Object.assign(link, { href: '/admin/login', target: '_blank', rel: 'opener', textContent: 'Sign in in a second tab' })
    this.#say('Not kept: your session is over. ', true, link, ', then go on here.')
  }

  /** Says that a save is on its way, where it takes a while; what is returned ends that. */
  saving(): () => void {
    const { isFailing } = this
    const timer = setTimeout(() => this.#say('Saving', isFailing), SOON_MS)
    return () => clearTimeout(timer)
  }

  /** Shows what the form of an answer says; returns whether it says that something is kept. */
  take(form: ParentNode): boolean {
    const place = form.querySelector('[data-keeping]')
    this.isFailing = false
    this.#place.className = place?.className ?? this.#place.className
    this.#place.replaceChildren(...(place?.childNodes ?? []))
    return this.#place.textContent?.trim() !== ''
  }

  /** Leads to what is to be done. */
  focus(): void {
    this.#place.querySelector('a')?.focus()
  }

  #say(words: string, isFailing: boolean, ...others: (Node | string)[]): void {
    this.isFailing = isFailing
    this.#place.classList.toggle('bad', isFailing)
    const text = document.createElement('span')
    text.append(words, ...others)
    if (this.#place.textContent !== text.textContent) this.#place.replaceChildren(text)
  }
}
