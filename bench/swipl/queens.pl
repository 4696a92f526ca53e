% queens(+N, -Count): in how many ways N queens can stand on an N by N board, none on the line of another.  Nothing of the
% library is used.

queens(N, Count) :-
    numbers(1, N, Columns),
    findall(x, place(Columns, [], _), All),
    length(All, Count).

numbers(N, N, [N]) :- !.
numbers(I, N, [I|More]) :-
    Next is I + 1,
    numbers(Next, N, More).

place([], Placed, Placed).
place(Columns, Placed, Solution) :-
    pick(Column, Columns, Rest),
    safe(Placed, Column, 1),
    place(Rest, [Column|Placed], Solution).

pick(Item, [Item|Rest], Rest).
pick(Item, [Other|More], [Other|Rest]) :-
    pick(Item, More, Rest).

safe([], _, _).
safe([Other|More], Column, Distance) :-
    Other =\= Column + Distance,
    Other =\= Column - Distance,
    Next is Distance + 1,
    safe(More, Column, Next).
