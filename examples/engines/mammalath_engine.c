/* An engine for Mammalath in C99, which speaks UGI (docs/engines.md) and has rules of its own.
 *
 *     cc -O2 -o mammalath_engine examples/engines/mammalath_engine.c
 *
 * It wins if it can, loses only if it must, and else plays at random. Rules as in docs/rules.md. */
#include <stdio.h>
#include <string.h>

/* Moves are numbers: spaces to place on, types to release, lines to release, swap, and none. */
enum { SIZE = 6, SPACES = 36, TYPES = 6, LINES = 80, TOKENS = 18 };
enum { TYPE = SPACES, LINE = TYPE + TYPES, SWAP = LINE + LINES, NONE };
enum { BLACK, WHITE, DRAW, RUNNING };

typedef struct {
    char animal[SPACES], token[SPACES]; /* 'A' to 'F', and 'b' or 'w'; 0 for none */
    int mover, plies, result;
} Position;
static struct { char name[8]; int line[3]; } moves[NONE + 1];
static const char *const results[] = {"p1win", "p2win", "draw", "none"}; /* if black is p1 */
static unsigned long long seed, randomness;
static Position current;

static void list_moves(void) {
    static const int down[] = {0, 1, 1, 1}, right[] = {1, 1, 0, -1};
    int move = LINE;
    for (int k = 0; k < SPACES; k++) sprintf(moves[k].name, "%c%c", 'a' + k % SIZE, '1' + k / SIZE);
    for (int k = 0; k < TYPES; k++) sprintf(moves[TYPE + k].name, "x%c", 'A' + k);
    strcpy(moves[SWAP].name, "swap"), strcpy(moves[NONE].name, "none");
    for (int k = 0; k < 4 * SPACES; k++) {
        int start = k / 4, step = SIZE * down[k % 4] + right[k % 4], end = start + 2 * step;
        int column = start % SIZE + 2 * right[k % 4];
        if (end >= SPACES || column < 0 || column >= SIZE) continue;
        for (int i = 0; i < 3; i++) moves[move].line[i] = start + i * step;
        sprintf(moves[move++].name, "x%c%c-%c%c", 'a' + start % SIZE, '1' + start / SIZE,
                'a' + end % SIZE, '1' + end / SIZE);
    }
}

/* How many spaces of a line hold a letter, or nothing if it is 0. */
static int count(int move, const char *grid, char letter) {
    const int *line = moves[move].line;
    return (grid[line[0]] == letter) + (grid[line[1]] == letter) + (grid[line[2]] == letter);
}

/* R9 to R11: the result if it was `player` who moved last. */
static int result_after(const Position *p, int player) {
    int wins = 0, placed = 0;
    for (int k = 0; k < SPACES; k++) placed += p->token[k] == "bw"[player];
    for (int move = LINE; move < SWAP; move++) {
        if (count(move, p->token, "bw"[player]) < 3) continue;
        if (count(move, p->animal, 0) < 3) return !player;
        wins = 1;
    }
    return wins ? player : placed == TOKENS ? DRAW : RUNNING;
}

/* R3 to R8: plays a move, or returns 0 if it is illegal, as is one that would change nothing. */
static int play(Position *p, int move) {
    int is_line = move >= LINE && move < SWAP, changed = is_line;
    if (p->result != RUNNING || (move >= TYPE && p->plies == 0)) return 0;
    if ((move == SWAP && p->plies != 1) || (is_line && count(move, p->animal, 0) > 0)) return 0;
    for (int k = 0; k < 3 && is_line; k++) p->animal[moves[move].line[k]] = 0;
    for (int k = 0; k < SPACES; k++)
        if (p->animal[k] == 'A' + move - TYPE) p->animal[k] = 0, changed = 1;
        else if (p->token[k] ? move == SWAP : move == k) p->token[k] = "bw"[p->mover], changed = 1;
    if (!changed) return 0;
    p->result = result_after(p, p->mover), p->mover = !p->mover, p->plies++;
    return 1;
}

static int random_below(int bound) {
    randomness = randomness * 6364136223846793005u + 1442695040888963407u;
    return (int)((randomness >> 33) % (unsigned)bound);
}

/* The name of the best move by the result after it: a win, else none or a draw, else a loss. */
static const char *choose(void) {
    int best = NONE, best_score = -1, equals = 0;
    for (int move = 0; move < NONE; move++) {
        Position after = current;
        if (!play(&after, move)) continue;
        int score = (after.result == current.mover) - (after.result == !current.mover);
        if (score < best_score) continue;
        equals = score == best_score ? equals + 1 : 1, best_score = score;
        if (random_below(equals) == 0) best = move;
    }
    return moves[best].name;
}

static int read_grid(const char *text, const char *letters, char *grid) {
    int space = 0;
    for (; *text && space < SPACES; text++)
        if (strchr(letters, *text)) grid[space++] = *text;
        else if (*text != '/') space += *text >= '1' && *text <= '6' ? *text - '0' : SPACES + 1;
    return space == SPACES;
}

/* Reads what follows "position". */
static void set_position(char *text) {
    Position p = {{0}, {0}, 0, 0, RUNNING};
    char animals[48], tokens[48], side;
    if (sscanf(text, "fen %47s %47s %c %d", animals, tokens, &side, &p.plies) == 4 &&
        read_grid(animals, "ABCDEF", p.animal) && read_grid(tokens, "bw", p.token)) {
        p.mover = side == 'w', p.result = result_after(&p, !p.mover);
    } else if (!strncmp(text, "startpos", 8)) {
        randomness = seed, p.mover = random_below(2);
        for (int k = 0, other; k < SPACES; k++) {
            other = random_below(k + 1), p.animal[k] = p.animal[other];
            p.animal[other] = "ABCDEF"[k % TYPES];
        }
    } else text = "moves ?";
    text = strstr(text, "moves");
    for (char *word = text ? strtok(text + 5, " ") : NULL; word; word = strtok(NULL, " ")) {
        int move = 0;
        while (move < NONE && (strcmp(word, moves[move].name) || !play(&p, move))) move++;
        if (move == NONE) {
            printf("info string bad position or move: %s\n", word);
            return;
        }
    }
    current = p;
}

static void respond(const char *answer) { printf("response %s\n", answer); }

int main(void) {
    static char line[1 << 16];
    const char *answer = NULL;
    int waits = 0; /* for "stop" */
    list_moves(), set_position((char[]){"startpos"});
    for (; fgets(line, sizeof line, stdin) && strncmp(line, "quit", 4); fflush(stdout)) {
        int p1 = current.mover ^ (current.plies & 1), end = current.result;
        line[strcspn(line, "\r\n")] = 0;
        if (!strcmp(line, "ugi"))
            puts("id name c99\noption name seed type spin default 0 min 0 max 2147483647\nugiok");
        else if (!strcmp(line, "isready")) puts("readyok");
        else if (!strcmp(line, "uginewgame")) randomness = seed;
        else if (!strncmp(line, "position ", 9)) set_position(line + 9);
        else if (!strcmp(line, "query p1turn")) respond(p1 == current.mover ? "true" : "false");
        else if (!strcmp(line, "query gameover")) respond(end == RUNNING ? "false" : "true");
        else if (!strcmp(line, "query result")) respond(results[end < DRAW ? end ^ p1 : end]);
        else if (!strncmp(line, "go", 2)) answer = choose(), waits = !!strstr(line, "infinite");
        else if (!strcmp(line, "stop")) waits = 0;
        else if (sscanf(line, "setoption name seed value %llu", &seed) < 1)
            printf("info string unknown: %s\n", line);
        if (answer && !waits) printf("bestmove %s\n", answer), answer = NULL;
    }
    return 0;
}
