import type { Access } from '#core/access/access.ts'
import { NO_BYTES } from '#core/document.ts'
import { defaultOf, type Setting } from '#core/settings.ts'
import { labelOf } from '#core/types/fields.ts'
import { etagOf, type Tagged, versionETag } from '#http/answers/etag.ts'
import type { Json } from '#lib/json.ts'
import { seesAll } from './rights.ts'
import type { SettingView } from './schema.ts'

/** A setting as it is answered. */
export interface SettingAnswer extends Tagged {
  readonly view: SettingView
}

/** Returns what people call a setting. */
export function settingLabel(key: string, setting: Setting | undefined): string {
  return setting?.field.label ?? labelOf(key.slice(key.indexOf('.') + 1))
}

/**
 * Returns a setting as a reader sees it, with the ETag of its answer. The version of its file is for who may read all of that: of
 * the others who knew it, one could find out what else the file says.
 */
export function viewOf(
  access: Access,
  key: string,
  setting: Setting | undefined,
  held: Json | undefined,
  version: string | undefined,
): SettingAnswer {
  const value = held ?? (setting ? defaultOf(setting.field) : null)
  const view = {
    key,
    value,
    type: setting?.field.type ?? 'json',
    public: setting?.isPublic === true,
    label: settingLabel(key, setting),
    declared: setting !== undefined,
    version: seesAll(access) ? (version ?? null) : null,
  } as const
  const body = Buffer.from(JSON.stringify({ data: view }))
  const first = seesAll(access) ? (version ?? NO_BYTES) : etagOf(body).slice(1, -1)
  return { view, body, etag: versionETag(first, JSON.stringify(value)) }
}
