import type { Access } from '#core/access/access.ts'
import { SETTINGS, type Setting } from '#core/settings.ts'
import { messageFor } from '#http/past/revisions.ts'
import type { ChangedKind, LastChange, SeenChange } from '../changed-kind.ts'
import type { SettingHistories } from './history.ts'
import { isThere, seesAll } from './rights.ts'
import { settingLabel } from './views.ts'

/** The changes of settings: one for each in a group, for who may read the setting. A change of another says nothing of it. */
export class ChangedSettings implements ChangedKind {
  readonly kind = SETTINGS
  readonly #declared: ReadonlyMap<string, Setting>
  readonly #histories: SettingHistories

  constructor(declared: ReadonlyMap<string, Setting>, histories: SettingHistories) {
    this.#declared = declared
    this.#histories = histories
  }

  async seen(access: Access, { key }: LastChange): Promise<readonly SeenChange[]> {
    if (!access.may('content:read') && !seesAll(access)) return []
    const reader = await this.#histories.reader(access)
    const last = await this.#histories.last(key)
    return [...last].flatMap(([id, revision]) => {
      const setting = this.#declared.get(id)
      if (!isThere(access, setting)) return []
      const message = messageFor(reader, revision.message)
      return [{ kind: 'setting', type: 'setting', id, title: settingLabel(id, setting), revision, message }]
    })
  }
}
