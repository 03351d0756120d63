import type { Test } from 'tap'
import type { User } from '#features/users/user.ts'
import { type Answered, type AppOptions, TestApp } from './app.ts'
import { eachStore, type OpenedStore } from './stores.ts'

/** A password that nobody would guess. */
export const PASSWORD = 'umbrella quartz 71 lighthouse'

/** The fixtures of a sign-in test: `ada@example.org` has an account, `nobody@example.org` has none. */
export interface Given {
  readonly app: TestApp
  readonly opened: OpenedStore
  readonly ada: User
  /** Posts to `/api/auth/…`. */
  readonly post: (path: string, body: object, from?: string) => Promise<Answered>
  /** Takes out the oldest message as a postman would: the code or the link in it; undefined where none is written. */
  readonly message: () => Promise<string | undefined>
}

/** Runs a test of signing in on each store. */
export async function signingIn(
  t: Test,
  body: (t: Test, given: Given) => Promise<void>,
  options: AppOptions = {},
): Promise<void> {
  await eachStore(t, {}, async (t, opened) => {
    const app = new TestApp(opened, options)
    t.teardown(() => app.app.close())
    const ada = await app.features.users.create({ email: 'ada@example.org', name: 'Ada', role: 'editor' }, BY)
    await body(t, {
      ...{ app, opened, ada },
      post: (path, body, from) => app.bare(`POST /api/auth/${path}`, { body, ...(from !== undefined && { from }) }),
      message: () => carry(app),
    })
  })
}

/** The author of the tests' changes. */
export const BY = { name: 'Test', email: 'test@example.org' }

async function carry(app: TestApp): Promise<string | undefined> {
  const message = app.messages.shift()
  if (!message) throw new Error('There is no message.')
  return (await app.compose(message))?.shown
}

/** The token in a link. */
export function tokenIn(link: string | undefined): string {
  return new URL(link ?? '').searchParams.get('token') ?? ''
}

/** A code that is not this one. */
export function wrong(code: string | undefined): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0')
}
