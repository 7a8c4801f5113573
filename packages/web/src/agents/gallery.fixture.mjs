// A surface of A2UI with every component of the basic catalog, and one that means no good.

const VERSION = 'v0.9.1'
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const HOSTILE = '<img src=x onerror=alert(1)></script>\u202egnissem'
/** `String` of it throws. */
const NO_TEXT = { toString: 1, valueOf: 1 }

function text(id, said, variant) {
  return { id, component: 'Text', text: said, ...(variant && { variant }) }
}

const COMPONENTS = [
  { id: 'root', component: 'Column', children: ['head', 'tabs', 'line', 'foot'] },
  { id: 'head', component: 'Row', children: ['pin', 'title'], align: 'center' },
  { id: 'pin', component: 'Icon', name: 'locationOn', accessibility: { label: 'Place' } },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the protocol writes places like this
  text('title', { call: 'formatString', args: { value: 'A trip to ${/city}' } }, 'h2'),
  {
    id: 'tabs',
    component: 'Tabs',
    tabs: [
      { title: 'When and how', child: 'form' },
      { title: 'See and hear', child: 'media' },
    ],
  },
  { id: 'form', component: 'Column', children: ['day', 'days', 'by', 'with', 'mail', 'news'] },
  {
    id: 'day',
    component: 'DateTimeInput',
    label: 'Departure',
    value: { path: '/day' },
    enableDate: true,
    enableTime: true,
  },
  { id: 'days', component: 'Slider', label: 'Days', min: 1, max: 14, value: { path: '/days' } },
  {
    id: 'by',
    component: 'ChoicePicker',
    label: 'Travel by',
    variant: 'mutuallyExclusive',
    displayStyle: 'chips',
    options: ['Train', 'Boat', 'On foot'].map((label) => ({ label, value: label })),
    value: { path: '/by' },
  },
  {
    id: 'with',
    component: 'ChoicePicker',
    label: 'Take along',
    variant: 'multipleSelection',
    filterable: true,
    options: ['Map', 'Rope', 'Tent'].map((label) => ({ label, value: label })),
    value: { path: '/with' },
  },
  {
    id: 'mail',
    component: 'TextField',
    label: 'E-mail',
    value: { path: '/mail' },
    checks: [
      { condition: { call: 'email', args: { value: { path: '/mail' } } }, message: 'No address yet.' },
    ],
  },
  { id: 'news', component: 'CheckBox', label: 'Send me news', value: { path: '/news' } },
  { id: 'media', component: 'Column', children: ['own', 'photo', 'film', 'song', 'places'] },
  { id: 'own', component: 'Image', url: PIXEL, description: 'A dot', variant: 'icon' },
  { id: 'photo', component: 'Image', url: 'https://pictures.example/x.png', description: 'The lake' },
  { id: 'film', component: 'Video', url: 'https://films.example/x.mp4' },
  { id: 'song', component: 'AudioPlayer', url: 'javascript:alert(1)', description: 'A song' },
  {
    id: 'places',
    component: 'List',
    listStyle: 'ordered',
    children: { componentId: 'place', path: '/places' },
  },
  text('place', { path: 'name' }),
  { id: 'line', component: 'Divider' },
  { id: 'foot', component: 'Row', children: ['more', 'book'], justify: 'spaceBetween' },
  { id: 'more', component: 'Modal', trigger: 'terms', content: 'small' },
  { id: 'terms', component: 'Button', child: 'terms-text', variant: 'borderless' },
  text('terms-text', 'Terms'),
  { id: 'small', component: 'Card', child: 'small-text' },
  text('small-text', 'Trains may be **late**.'),
  {
    id: 'book',
    component: 'Button',
    child: 'book-text',
    variant: 'primary',
    action: { event: { name: 'book', context: { by: { path: '/by' }, days: { path: '/days' } } } },
  },
  text('book-text', 'Book'),
]

const HOSTILE_COMPONENTS = [
  {
    id: 'root',
    component: 'Column',
    children: [
      'name',
      'odd',
      'pick',
      'slide',
      'when',
      'pic',
      'icon',
      'field',
      'unknown',
      'word',
      'loop',
      NO_TEXT,
    ],
    justify: 'constructor',
  },
  { id: 'name', component: 'Text', text: HOSTILE, variant: 'constructor' },
  { id: 'odd', component: 'Text', text: NO_TEXT, variant: NO_TEXT },
  {
    id: 'pick',
    component: 'ChoicePicker',
    label: HOSTILE,
    options: [NO_TEXT, null, { label: NO_TEXT, value: NO_TEXT }, { label: HOSTILE, value: '__proto__' }],
    value: { path: '/__proto__/x' },
  },
  { id: 'slide', component: 'Slider', label: 'Endless', min: 1e308, max: -1e308, value: 'NaN' },
  { id: 'when', component: 'DateTimeInput', value: HOSTILE, min: NO_TEXT, enableTime: true },
  { id: 'pic', component: 'Image', url: 'data:text/html,<script>alert(1)</script>', description: HOSTILE },
  { id: 'icon', component: 'Icon', name: { svgPath: '"/><script>alert(1)</script>' } },
  {
    id: 'field',
    component: 'TextField',
    label: 'Slow',
    value: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!',
    variant: '__proto__',
    validationRegexp: '^(a+)+$',
  },
  { id: 'unknown', component: '<b>Rocket</b>' },
  text('word', 'x'.repeat(10_000)),
  { id: 'loop', component: 'Column', children: ['loop', 'loop', 'name'] },
]

export const GALLERY = [
  { version: VERSION, createSurface: { surfaceId: 'g', catalogId: 'basic' } },
  { version: VERSION, updateComponents: { surfaceId: 'g', components: COMPONENTS } },
  {
    version: VERSION,
    updateDataModel: {
      surfaceId: 'g',
      value: {
        city: 'Thun',
        day: '2026-12-01T09:30:00Z',
        days: 3,
        by: ['Train'],
        with: ['Map'],
        mail: '',
        news: false,
        places: [{ name: 'The castle' }, { name: 'The old mill' }],
      },
    },
  },
]

export const TRAP = [
  { version: VERSION, createSurface: { surfaceId: 'h', catalogId: 'basic' } },
  { version: VERSION, updateComponents: { surfaceId: 'h', components: HOSTILE_COMPONENTS } },
]
