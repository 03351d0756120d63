import t, { type Test } from 'tap'
import { Hashing } from '#features/auth/methods/hashing.ts'
import { TestApp } from '#support/app.ts'
import { BY, PASSWORD, wrong } from '#support/signing-in.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const KNOWN = 'ada@example.org'
const UNKNOWN = 'eve@example.org'
const DISABLED = 'off@example.org'

/** The calls to the parts of a site, in order. Only names are kept, since the arguments differ between two users. */
class Steps {
  taken: string[] = []

  /** A part that says which of its methods are called; what its own methods call counts only when it goes out. */
  watch<T extends object>(name: string, part: T): T {
    return new Proxy(part, {
      get: (target, key) => {
        const value = Reflect.get(target, key)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          this.taken.push(`${name}.${String(key)}(${kindOf(given)})`)
          return value.apply(target, given)
        }
      },
    })
  }
}

/** Describes the subject of a call, without the user: the form of a fact's name, or the kind of documents. */
function kindOf([first]: unknown[]): string {
  return typeof first === 'string' ? first.replaceAll(/[\w-]{40,}|[\w-]{12}(?=$)/g, '…') : typeof first
}

class WatchedHashing extends Hashing {
  readonly #steps: Steps

  constructor(steps: Steps) {
    super({ n: 16, r: 1, p: 1 })
    this.#steps = steps
  }

  override isSame(password: string, kept: string | undefined): Promise<boolean> {
    this.#steps.taken.push('hash')
    return super.isSame(password, kept)
  }
}

async function watched(opened: OpenedStore): Promise<{ app: TestApp; steps: Steps }> {
  const steps = new Steps()
  const [store, ledger] = [steps.watch('store', opened.store), steps.watch('ledger', opened.ledger)]
  const send = async ({ template }: { template: string }) => void steps.taken.push(`post ${template}`)
  const app = new TestApp({ ...opened, store, ledger }, { hashing: new WatchedHashing(steps), send })
  const hash = await app.features.auth.passwords.hashFor(PASSWORD, { email: '', name: '' })
  await app.features.users.create({ email: KNOWN, passwordHash: hash }, BY)
  const off = await app.features.users.create({ email: DISABLED, passwordHash: hash }, BY)
  await app.features.users.setDisabled(off.id, true, BY)
  return { app, steps }
}

const TRIES: readonly [string, (email: string) => object, number][] = [
  ['otp/send', (email) => ({ email }), 202],
  ['magic-link', (email) => ({ email }), 202],
  ['otp/verify', (email) => ({ email, code: '000000' }), 401],
  ['login', (email) => ({ email, password: 'not the right one at all' }), 401],
]

for (const [path, body, status] of TRIES) {
  t.test(`${path} takes the same steps, and gives the same bytes, whoever is asked for`, (t) =>
    eachStore(t, {}, async (t, opened) => {
      const { app, steps } = await watched(opened)
      t.teardown(() => app.app.close())
      const ask = async (email: string) => {
        steps.taken = []
        const answer = await app.bare(`POST /api/auth/${path}`, { body: body(email) })
        const { 'x-request-id': _id, date: _date, ...headers } = answer.headers
        return { status: answer.status, text: answer.text, headers, steps: steps.taken }
      }
      // As often as there is something new to see: what is sent too often, what is tried too often.
      for (let n = 0; n < 13; n++) await compare(t, ask, n < 5 ? status : undefined)
    }),
  )
}

async function compare(t: Test, ask: (email: string) => Promise<{ status: number }>, status: number | undefined): Promise<void> {
  const known = await ask(KNOWN)
  if (status !== undefined) t.equal(known.status, status)
  t.same(await ask(UNKNOWN), known)
  t.same(await ask(DISABLED), known)
}

t.test('a wrong code takes the same steps as one for nobody', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { app, steps } = await watched(opened)
    t.teardown(() => app.app.close())
    const code = (await app.features.auth.codes.compose({ template: 'code', to: KNOWN, data: {} }))?.shown
    const take = async (email: string) => {
      steps.taken = []
      const answer = await app.bare('POST /api/auth/otp/verify', { body: { email, code: wrong(code) } })
      return [answer.status, answer.text, steps.taken]
    }
    t.same(await take(KNOWN), await take(UNKNOWN))
  }),
)

t.test('nothing is written or sent before the answer: a request posts one message, and no more', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { app, steps } = await watched(opened)
    t.teardown(() => app.app.close())
    for (const [path, template] of [
      ['otp/send', 'code'],
      ['magic-link', 'link'],
    ] as const) {
      steps.taken = []
      await app.bare(`POST /api/auth/${path}`, { body: { email: KNOWN } })
      t.same(
        steps.taken.filter((step) => !step.startsWith('ledger.add(')),
        [`post ${template}`],
        'nobody is even looked up',
      )
    }
  }),
)
