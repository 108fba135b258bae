C     FORTRAN 77 WITHOUT MODULES: CELLLIST IS AN EXTERNAL SUBROUTINE OF
C     THE C LIBRARY ITSELF.
      PROGRAM EXTERN
      INTEGER NP, MAXPR
      PARAMETER (NP = 343, MAXPR = 20*NP)
      DOUBLE PRECISION X(3, NP), CUTOFF, D2
      INTEGER NPAIRS, PAIRI(MAXPR), PAIRJ(MAXPR), I, J, K
      EXTERNAL CELLLIST
      DO 10 I = 1, NP
         X(1, I) = MOD(I - 1, 7)
         X(2, I) = MOD((I - 1)/7, 7)
         X(3, I) = (I - 1)/49
   10 CONTINUE
      CUTOFF = 1.5D0
      CALL CELLLIST(3, NP, 10, X, CUTOFF, MAXPR, NPAIRS, PAIRI, PAIRJ)
      IF (NPAIRS .LT. 0) STOP 1
      K = 0
      DO 30 I = 1, NP
         DO 20 J = I + 1, NP
            D2 = (X(1,I) - X(1,J))**2 + (X(2,I) - X(2,J))**2
     &         + (X(3,I) - X(3,J))**2
            IF (D2 .GT. CUTOFF**2) GO TO 20
            K = K + 1
            IF (K .GT. NPAIRS) STOP 2
            IF (PAIRI(K) .NE. I .OR. PAIRJ(K) .NE. J) STOP 3
   20    CONTINUE
   30 CONTINUE
      IF (K .NE. NPAIRS .OR. K .EQ. 0) STOP 4
      WRITE (*, '(A, I0, A)') 'external.f: ', K, ' pairs agree'
      END
