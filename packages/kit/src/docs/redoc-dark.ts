const text = { primary: '#e4e6e6', secondary: '#b7bcbf' }
const lines = { dark: '#4a5257', light: '#353c40' }
const block = '#14181a'

/** Redoc has one look, and takes another: https://redocly.com/docs/redoc/config#theme */
export const REDOC_DARK = Object.freeze({
  colors: {
    primary: { main: '#8ab4f8' },
    text,
    border: lines,
    gray: { 50: '#262b2e', 100: '#2f3538' },
    success: { main: '#81c995' },
    error: { main: '#f28b82' },
    warning: { main: '#fdd663' },
    responses: {
      success: { color: '#81c995', backgroundColor: '#1f2d24' },
      error: { color: '#f28b82', backgroundColor: '#332123' },
      redirect: { color: '#fdd663', backgroundColor: '#332d1c' },
      info: { color: '#8ab4f8', backgroundColor: '#1d2733' },
    },
  },
  schema: {
    linesColor: lines.dark,
    typeNameColor: text.secondary,
    typeTitleColor: text.secondary,
    requireLabelColor: '#f28b82',
    nestedBackground: '#22272a',
    arrow: { color: text.secondary },
  },
  typography: {
    code: { color: '#f28b82', backgroundColor: block },
    links: { color: '#8ab4f8', visited: '#8ab4f8', hover: '#aecbfa' },
  },
  sidebar: { backgroundColor: '#171b1d', textColor: text.primary },
  rightPanel: { backgroundColor: block, textColor: text.primary },
  codeBlock: { backgroundColor: '#0e1112' },
  fab: { backgroundColor: '#2f3538', color: '#8ab4f8' },
})
